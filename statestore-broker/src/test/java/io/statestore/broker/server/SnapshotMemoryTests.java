package io.statestore.broker.server;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.statestore.broker.log.TestDisk.Hold;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Snapshots that are written more slowly than keys change. */
@Isolated("captures the log")
class SnapshotMemoryTests {

	private static final int KEYS = 40;

	private final Logger logger = (Logger) LoggerFactory.getLogger(SnapshotWriter.class);

	private final List<String> messages = new CopyOnWriteArrayList<>();

	private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {

		@Override
		protected void append(ILoggingEvent event) {
			SnapshotMemoryTests.this.messages.add(event.getFormattedMessage());
		}

	};

	private final RestartableStore store = new RestartableStore();

	private RecordingConnection client = this.store.connect("client");

	@BeforeEach
	void capture() {
		this.appender.start();
		this.logger.setLevel(Level.WARN);
		this.logger.setAdditive(false);
		this.logger.addAppender(this.appender);
	}

	@AfterEach
	void close() {
		this.store.close();
		this.logger.detachAppender(this.appender);
		this.logger.setAdditive(true);
		this.logger.setLevel(null);
	}

	private void setAll(int value) {
		for (int i = 0; i < KEYS; i++) {
			byte[] bytes = new byte[20_000];
			bytes[0] = (byte) value;
			this.client.call(new Command.Set(Bytes.of("k" + i), Bytes.wrap(bytes)));
		}
	}

	@Test
	void abandonsSnapshotThatHoldsTooMuchMemory() {
		setAll(0);
		this.store.close();
		this.store.minLogBytes = 10_000;
		this.store.maxHeld = 800_000;
		Hold hold = this.store.disk.holdSnapshots();
		this.client = this.store.connect("client");
		setAll(1);
		setAll(2);
		await("a warning").until(() -> !this.messages.isEmpty());
		hold.release();
		setAll(3);
		assertThat(this.messages).singleElement().asString().startsWith("Abandoned a snapshot of the store");
		assertThat(this.store.server().durability().orElseThrow().snapshotIndex()).isZero();
		this.store.kill();
		Reply reply = this.store.connect("client").call(new Command.Get(Bytes.of("k1"))).reply();
		assertThat(reply).isInstanceOfSatisfying(Reply.Value.class,
				(value) -> assertThat(value.value().toArray()).startsWith(3));
	}

}
