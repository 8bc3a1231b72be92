package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

import io.statestore.client.StateStoreOperations;
import io.statestore.client.history.StateHistory;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.Version;
import io.statestore.sample.Ports;
import io.statestore.sample.SampleApplication;
import io.statestore.test.JavaProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The buttons of the control room, with two presses in separate processes. */
@Tag("long")
@Timeout(180)
@TestInstance(Lifecycle.PER_CLASS)
class ControlRoomTests {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private ConfigurableApplicationContext room;

	private Line line;

	private LineActions control;

	private Path directory;

	private int port;

	@BeforeAll
	void start(@TempDir Path directory) {
		this.directory = directory;
		this.port = Ports.free();
		open();
	}

	private void open() {
		this.room = run(this.port, this.directory);
		this.line = this.room.getBean(Line.class);
		this.control = this.room.getBean(LineActions.class);
	}

	/**
	 * Starts a control room. Its pauses last until a test ends them; cuts last longer
	 * than a takeover.
	 */
	static ConfigurableApplicationContext run(int port, Path directory, String... arguments) {
		SpringApplication application = new SpringApplication(ControlRoomApplication.class);
		application.setAdditionalProfiles("room");
		List<String> all = new ArrayList<>(List.of(arguments));
		all.add("--server.port=0");
		all.add("--statestore.port=" + port);
		all.add("--sample.directory=" + directory);
		all.add("--sample.pause=60s");
		all.add("--sample.cut=15s");
		return application.run(all.toArray(String[]::new));
	}

	@AfterAll
	void close() {
		if (this.room != null) {
			this.room.close();
		}
	}

	@BeforeEach
	void awaitLine() {
		await(() -> isRunning("press-1") && isRunning("press-2") && this.line.leadership().leader() != null
				&& this.line.leadership().token() != null);
	}

	@Test
	void anotherPressLeadsAfterKill() {
		String killed = leader();
		this.room.getBean(Presses.class).get(killed).kill();
		await(() -> machine(killed).state() == Machine.ENDED);
		assertThatIllegalStateException().isThrownBy(() -> this.room.getBean(Presses.class).pause(killed))
			.withMessage(killed + " is not running. Start it first");
		await(() -> other(killed).equals(this.line.leadership().leader()));
		this.room.getBean(Presses.class).get(killed).start();
		await(() -> machine(killed).state() == Machine.RUNNING);
		assertThat(leader()).isEqualTo(other(killed));
		assertThatIllegalStateException().isThrownBy(() -> this.room.getBean(Presses.class).get(killed).start())
			.withMessage(killed + " is running already");
	}

	@Test
	void anotherPressLeadsAfterCut() {
		String cut = leader();
		this.room.getBean(Presses.class).cut(cut);
		assertThat(machine(cut).connected()).isFalse();
		assertThatIllegalStateException().isThrownBy(() -> this.room.getBean(Presses.class).cut(cut))
			.withMessage(cut + " is disconnected already");
		await(() -> other(cut).equals(this.line.leadership().leader()));
		await(() -> machine(cut).connected());
		await(() -> isRunning(cut));
	}

	@Test
	void anotherTermBeginsAfterResignation() {
		Version token = Objects.requireNonNull(this.line.leadership().token());
		this.control.resign();
		await(() -> {
			Version next = this.line.leadership().token();
			return next != null && !next.equals(token);
		});
		assertThat(texts(Line.CHANGE)).anyMatch((text) -> text.endsWith(" was told to resign."));
	}

	@Test
	void storeSurvivesBrokerRestart() {
		this.control.changeSetpoint(170);
		await(() -> Double.valueOf(170).equals(this.line.setpoint()));
		this.room.getBean(LineBroker.class).restart();
		assertThatIllegalStateException().isThrownBy(this.room.getBean(LineBroker.class)::restart)
			.withMessage("The broker is restarting already");
		await(() -> !this.line.isAvailable());
		await(() -> this.line.isAvailable());
		await(() -> texts(Line.CHANGE).contains("The broker is back."));
		awaitLine();
		assertThat(this.line.setpoint()).isEqualTo(170);
	}

	@Test
	void storesDefaultWhenSetpointIsDeleted() {
		await(() -> this.line.setpoint() != null);
		this.room.getBean(StateStoreOperations.class).delete(Line.SETPOINT);
		await(() -> texts(Line.CHANGE).contains("The setpoint has been deleted."));
		await(() -> Double.valueOf(150).equals(this.line.setpoint()));
		assertThatIllegalArgumentException().isThrownBy(() -> this.control.changeSetpoint(Double.NaN));
		assertThatIllegalArgumentException().isThrownBy(() -> this.control.changeSetpoint(200.1));
	}

	@Test
	void showsPressStartedElsewhere() {
		try (JavaProcess press = JavaProcess.of(SampleApplication.class)
			.arguments("--sample.name=press-3", "--statestore.port=" + this.port)
			.start()) {
			await(() -> this.room.getBean(Presses.class)
				.machines()
				.stream()
				.anyMatch((machine) -> machine.name().equals("press-3")));
			assertThat(machine("press-3").state()).isEqualTo(Machine.ELSEWHERE);
			assertThatIllegalStateException().isThrownBy(() -> this.room.getBean(Presses.class).get("press-3").kill())
				.withMessage("press-3 was started elsewhere. Control it there");
			assertThat(press.isAlive()).isTrue();
		}
		await(() -> this.room.getBean(Presses.class)
			.machines()
			.stream()
			.noneMatch((machine) -> machine.name().equals("press-3")));
		assertThat(texts(Line.FAILURE)).contains("press-3 has left the line.");
	}

	@Test
	void historyContainsEarlierStart() {
		this.control.changeSetpoint(123);
		await(() -> Double.valueOf(123).equals(this.line.setpoint()));
		this.room.close();
		open();
		awaitLine();
		StateHistory history = this.room.getBean(StateHistory.class);
		assertThat(history.changes(Line.SETPOINT)).last()
			.extracting((change) -> change.value().toUtf8(), StoredChange::author)
			.containsExactly("123.0", "control-room");
		assertThat(history.changes(Line.BATCH)).extracting(StoredChange::author).containsAnyOf("press-1", "press-2");
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(LIMIT).until(condition);
	}

	private String leader() {
		return Objects.requireNonNull(this.line.leadership().leader());
	}

	private static String other(String press) {
		return press.equals("press-1") ? "press-2" : "press-1";
	}

	private boolean isRunning(String press) {
		return machine(press).state() == Machine.RUNNING;
	}

	private Machine machine(String press) {
		return this.room.getBean(Presses.class)
			.machines()
			.stream()
			.filter((machine) -> machine.name().equals(press))
			.findFirst()
			.orElseThrow();
	}

	private List<String> texts(String kind) {
		return this.line.log().stream().filter((entry) -> entry.kind().equals(kind)).map(Line.Event::text).toList();
	}

}
