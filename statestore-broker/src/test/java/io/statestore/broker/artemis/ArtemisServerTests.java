package io.statestore.broker.artemis;

import java.util.concurrent.atomic.AtomicInteger;

import ch.qos.logback.classic.Level;
import io.netty.channel.embedded.EmbeddedChannel;
import io.statestore.broker.artemis.session.ArtemisSessions;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.test.CapturedLog;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Isolated("captures the log")
class ArtemisServerTests {

	private final MemoryBudget budget = MemoryBudget.unlimited();

	private final ArtemisServer server = new ArtemisServer(1_000, null, this.budget, System::nanoTime, (error) -> {
		throw error;
	});

	@AfterEach
	void close() throws Exception {
		this.server.stop();
		this.server.close();
	}

	@Test
	void refusesConnectionBeforeStart() {
		EmbeddedChannel connection = new EmbeddedChannel();
		assertThatIllegalStateException().isThrownBy(() -> this.server.accept(connection, this.budget.open()))
			.withMessageContaining("not started");
		assertThat(this.server.hasConnectedClients()).isFalse();
	}

	@Test
	void failureOfStartContainsMessageOfRootCause() {
		Exception failure = new Exception("outer", new IllegalStateException("port 1 is in use"));
		assertThat(ArtemisServer.notStarted(failure, null))
			.hasMessage("The MQTT broker did not start: port 1 is in use")
			.hasCause(failure);
		assertThat(ArtemisServer.notStarted(new IllegalStateException(), null))
			.hasMessage("The MQTT broker did not start: java.lang.IllegalStateException");
		assertThat(ArtemisServer.notStarted(null, null)).hasMessageContaining("precede this one in the log");
	}

	@Test
	void sweepsNothingAfterPreparedStop() {
		AtomicInteger sweeps = new AtomicInteger();
		this.server.attempt(sweeps::incrementAndGet);
		this.server.prepareStop();
		this.server.attempt(sweeps::incrementAndGet);
		assertThat(sweeps).hasValue(1);
	}

	@Test
	void logsNoWarningWhenSweepMeetsStoppedServer() throws Exception {
		try (CapturedLog log = new CapturedLog(ArtemisServer.class, Level.WARN)) {
			this.server.start((pipeline, next, memory) -> (full) -> {
			});
			this.server.stop();
			ArtemisSessions sessions = assertThat(this.server)
				.extracting("sessions", InstanceOfAssertFactories.type(ArtemisSessions.class))
				.actual();
			for (int i = 0; i < 20; i++) {
				this.server.attempt(sessions::sweep);
			}
			assertThat(log.messages()).isEmpty();
		}
	}

}
