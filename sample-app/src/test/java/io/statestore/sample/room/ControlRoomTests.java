package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;

import io.statestore.sample.Ports;
import io.statestore.sample.SampleApplication;
import io.statestore.sample.room.LogEntry.Kind;
import io.statestore.sample.room.Machine.State;
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
import static org.assertj.core.api.Assertions.tuple;

/** The buttons of the control room, with two presses in processes of their own. */
@Tag("long")
@Timeout(180)
@TestInstance(Lifecycle.PER_CLASS)
class ControlRoomTests {

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private ConfigurableApplicationContext room;

	private Line line;

	private LineControl control;

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
		this.control = this.room.getBean(LineControl.class);
	}

	/**
	 * Starts a control room. Its pauses last until a test ends them, and a cut lasts
	 * longer than a takeover.
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
		this.control.kill(killed);
		await(() -> machine(killed).state() == State.ENDED);
		assertThatIllegalStateException().isThrownBy(() -> this.control.pause(killed))
			.withMessage(killed + " is not running. Start it first");
		await(() -> other(killed).equals(this.line.leadership().leader()));
		this.control.start(killed);
		await(() -> machine(killed).state() == State.RUNNING);
		assertThat(leader()).isEqualTo(other(killed));
		assertThatIllegalStateException().isThrownBy(() -> this.control.start(killed))
			.withMessage(killed + " is running already");
	}

	@Test
	void anotherPressLeadsAfterCut() {
		String cut = leader();
		this.control.cut(cut);
		assertThat(machine(cut).connected()).isFalse();
		assertThatIllegalStateException().isThrownBy(() -> this.control.cut(cut))
			.withMessage(cut + " is disconnected already");
		await(() -> other(cut).equals(this.line.leadership().leader()));
		await(() -> machine(cut).connected());
		await(() -> isRunning(cut));
	}

	@Test
	void anotherTermBeginsAfterResignation() {
		String token = Objects.requireNonNull(this.line.leadership().token());
		this.control.resign();
		await(() -> {
			String next = this.line.leadership().token();
			return next != null && !next.equals(token);
		});
		assertThat(texts(Kind.LEADER)).last().asString().endsWith(" was told to resign.");
	}

	@Test
	void storeSurvivesRestartOfBroker() {
		this.control.changeSetpoint(170);
		await(() -> Double.valueOf(170).equals(this.line.setpoint()));
		this.control.restartBroker();
		assertThatIllegalStateException().isThrownBy(this.control::restartBroker)
			.withMessage("The broker is restarting already");
		await(() -> !this.line.isBrokerAvailable());
		await(() -> this.line.isBrokerAvailable());
		await(() -> texts(Kind.CHANGE).contains("The broker is back."));
		awaitLine();
		assertThat(this.line.setpoint()).isEqualTo(170);
	}

	@Test
	void deletesKey() {
		await(() -> this.line.setpoint() != null);
		this.control.deleteKey("line/setpoint");
		await(() -> texts(Kind.CHANGE).contains("The setpoint has been deleted."));
		await(() -> Double.valueOf(150).equals(this.line.setpoint()));
		assertThatIllegalStateException().isThrownBy(() -> this.control.deleteKey("unknown"));
		assertThatIllegalArgumentException().isThrownBy(() -> this.control.changeSetpoint(Double.NaN));
		assertThatIllegalArgumentException().isThrownBy(() -> this.control.changeSetpoint(200.1));
	}

	@Test
	void showsPressThatWasStartedElsewhere() {
		try (JavaProcess press = JavaProcess.of(SampleApplication.class)
			.arguments("--sample.name=press-3", "--statestore.port=" + this.port)
			.start()) {
			await(() -> this.line.machines().stream().anyMatch((machine) -> machine.name().equals("press-3")));
			assertThat(machine("press-3").state()).isEqualTo(State.ELSEWHERE);
			assertThatIllegalStateException().isThrownBy(() -> this.control.kill("press-3"))
				.withMessage("press-3 was started elsewhere. Control it there");
			assertThat(press.isAlive()).isTrue();
		}
		await(() -> this.line.machines().stream().noneMatch((machine) -> machine.name().equals("press-3")));
		assertThat(texts(Kind.FAILURE)).contains("press-3 has left the line.");
	}

	@Test
	void historyContainsEarlierStart() {
		this.control.changeSetpoint(123);
		await(() -> Double.valueOf(123).equals(this.line.setpoint()));
		this.room.close();
		open();
		awaitLine();
		LineHistory history = this.room.getBean(LineHistory.class);
		assertThat(history.keys()).contains("line/setpoint", "line/batch", "line/press-1", "line-leader");
		List<LineHistory.Change> changes = history.changes("line/setpoint").latest();
		LineHistory.Change change = changes.get(changes.size() - 1);
		assertThat(change.value()).isEqualTo("123.0");
		assertThat(change.author()).isEqualTo("control-room");
		assertThat(history.changes("line/batch").latest()).extracting(LineHistory.Change::author)
			.containsAnyOf("press-1", "press-2");
		assertThat(history.storeAt(change.version())).extracting(StoredKey::key, StoredKey::value)
			.contains(tuple("line/setpoint", "123.0"));
		assertThatIllegalArgumentException().isThrownBy(() -> history.storeAt("yesterday"));
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
		return machine(press).state() == State.RUNNING;
	}

	private Machine machine(String press) {
		return this.line.machines()
			.stream()
			.filter((machine) -> machine.name().equals(press))
			.findFirst()
			.orElseThrow();
	}

	private List<String> texts(Kind kind) {
		return this.line.log().stream().filter((entry) -> entry.kind() == kind).map(LogEntry::text).toList();
	}

}
