package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;

import io.statestore.client.StateStoreOperations;
import io.statestore.protocol.Version;
import io.statestore.sample.Ports;
import io.statestore.sample.press.PressApplication;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/** The control room with its broker and a press in a separate process. */
@Timeout(120)
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(OrderAnnotation.class)
class RoomWithOnePressTests {

	private ConfigurableApplicationContext room;

	private Line line;

	private LineActions control;

	private StateStoreOperations store;

	private int port;

	@BeforeAll
	void open(@TempDir Path directory) {
		this.port = Ports.free();
		this.room = ControlRoomTests.run(this.port, directory, "--sample.presses=press-1");
		this.line = this.room.getBean(Line.class);
		this.control = this.room.getBean(LineActions.class);
		this.store = this.room.getBean(StateStoreOperations.class);
	}

	@AfterAll
	void close() {
		this.room.close();
	}

	@Test
	void forgetsKeyAfterUndeliveredDeletion() {
		this.store.set("doomed", 1);
		await(() -> keys().contains("doomed"));
		// Nothing is delivered in the meantime.
		synchronized (this.line) {
			this.store.set("doomed", 2);
			this.store.delete("doomed");
			this.room.getBean(LineWatcher.class).scan();
		}
		await(() -> !keys().contains("doomed"));
		this.store.set("doomed", 3);
		await(() -> keys().contains("doomed"));
	}

	/** The second press runs in this process, which takes less time. */
	@Test
	@Order(Integer.MAX_VALUE)
	void storeRefusesBatchFromPausedLeader() {
		assumeThat(ChildProcess.canPause()).isTrue();
		await(() -> leads("press-1"));
		try (ConfigurableApplicationContext other = press("press-2")) {
			pauseUntilOtherLeads();
			// A process that was stopped between two batches does not write when it
			// continues.
			for (int i = 1; i < 5 && !awaitRefusal(); i++) {
				this.control.resign();
				await(() -> leads("press-1"));
				pauseUntilOtherLeads();
			}
			assertThat(this.line.rejected().explanation()).matches(
					"The store refused the batch of press-1: its fencing token \\(\\d+:\\d+\\) is older than that of "
							+ "press-2 \\(\\d+:\\d+\\). press-1 was paused, and did not know that it had lost its lock.");
			assertThat(texts(Line.REFUSAL)).first().isEqualTo(this.line.rejected().explanation());
			assertThat(texts(Line.NEW_LEADER)).first()
				.asString()
				.matches("press-2 leads the line, .* ms after press-1 was paused.");
			assertThat(this.line.leadership().takeover()).isGreaterThan(Duration.ofSeconds(1));
		}
	}

	private ConfigurableApplicationContext press(String name) {
		SpringApplication application = new SpringApplication(PressApplication.class);
		application.setAdditionalProfiles("press");
		return application.run("--sample.name=" + name, "--statestore.port=" + this.port);
	}

	/** Returns whether a press leads and has begun to pack. */
	private boolean leads(String press) {
		return press.equals(this.line.leadership().leader()) && this.line.batch().endsWith(" by " + press);
	}

	private void pauseUntilOtherLeads() {
		this.room.getBean(Presses.class).pause("press-1");
		await(() -> stateOfPress() == Machine.PAUSED && leads("press-2"));
		Version token = this.line.leadership().token();
		this.room.getBean(Presses.class).get("press-1").resume();
		await(() -> stateOfPress() == Machine.RUNNING);
		assertThat(this.line.leadership().token()).isNotNull().isEqualTo(token);
	}

	private String stateOfPress() {
		return this.room.getBean(Presses.class)
			.machines()
			.stream()
			.filter((machine) -> machine.name().equals("press-1"))
			.findFirst()
			.orElseThrow()
			.state();
	}

	/** Waits up to 5 s for a refused write by the paused press. */
	private boolean awaitRefusal() {
		try {
			Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> {
				return this.line.rejected().press().equals("press-1");
			});
			return true;
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	private List<String> texts(String kind) {
		return this.line.log().stream().filter((entry) -> entry.kind().equals(kind)).map(Line.Event::text).toList();
	}

	private Set<String> keys() {
		return this.line.keys().keySet();
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
	}

}
