package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

import io.statestore.sample.Ports;
import io.statestore.sample.room.BrokerState.Role;
import io.statestore.sample.room.LogEntry.Kind;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** The control room with three brokers in processes of their own. */
@Timeout(180)
@TestInstance(Lifecycle.PER_CLASS)
class ThreeBrokersTests {

	private ConfigurableApplicationContext room;

	private Line line;

	private LineControl control;

	private Path directory;

	private final int port = Ports.free(6);

	@BeforeAll
	void start(@TempDir Path directory) {
		this.directory = directory;
		open();
	}

	private void open() {
		this.room = ControlRoomTests.run(this.port, this.directory, "--sample.brokers=3", "--sample.presses=press-1");
		this.line = this.room.getBean(Line.class);
		this.control = this.room.getBean(LineControl.class);
		await(() -> this.line.isBrokerAvailable() && count(Role.LEADER) == 1 && count(Role.FOLLOWER) == 2);
	}

	@AfterAll
	void close() {
		if (this.room != null) {
			this.room.close();
		}
	}

	@Test
	void storeAcceptsWritesAfterLeaderWasKilled() {
		await(() -> batch() > 0);
		this.control.changeSetPoint(140);
		await(() -> Double.valueOf(140).equals(this.line.setPoint()));
		String killed = name(Role.LEADER);
		this.control.killBroker(killed);
		assertThat(state(killed).stopped()).isTrue();
		long batch = batch();
		assertThatIllegalStateException().isThrownBy(() -> this.control.killBroker(killed))
			.withMessage(killed + " is not running. Start it first");
		await(() -> this.line.isBrokerAvailable() && count(Role.LEADER) == 1);
		assertThat(state(killed).stopped()).isTrue();
		assertThat(this.line.setPoint()).isEqualTo(140);
		this.control.changeSetPoint(160);
		await(() -> Double.valueOf(160).equals(this.line.setPoint()));
		await(() -> batch() > batch);
		await(() -> has(Kind.CHANGE, "The store accepts writes, [\\d,]+ ms after " + killed + " was killed\\."));
		assertThat(has(Kind.FAILURE, killed + " was killed\\.")).isTrue();
		assertThat(has(Kind.FAILURE, "No connection to the store\\.")).isTrue();
		assertThat(has(Kind.LEADER, name(Role.LEADER) + " leads the brokers in term \\d+\\.")).isTrue();
		assertThat(this.line.rejected().count()).isZero();
		this.control.startBroker(killed);
		await(() -> state(killed).role() == Role.FOLLOWER);
		assertThatIllegalStateException().isThrownBy(() -> this.control.startBroker(killed))
			.withMessage(killed + " is running already");
	}

	@Test
	void refusesActionsOfSingleBroker() {
		assertThat(this.line.brokerName()).isEqualTo("Three brokers, ports " + this.port + " to " + (this.port + 2));
		assertThat(this.room.getBean(LineHistory.class).isAvailable()).isFalse();
		assertThatIllegalStateException().isThrownBy(this.control::restartBroker)
			.withMessageContaining("three brokers");
		assertThatIllegalStateException().isThrownBy(() -> this.control.killBroker("broker-4"))
			.withMessageContaining("broker-4 does not exist");
	}

	@Test
	@Tag("long")
	void storeSurvivesRestartOfControlRoom() {
		this.control.changeSetPoint(123);
		long batch = batch();
		this.room.close();
		open();
		await(() -> Double.valueOf(123).equals(this.line.setPoint()));
		await(() -> batch() > batch);
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(Duration.ofSeconds(60)).until(condition);
	}

	/** Returns the number of the latest batch, 0 if there is none. */
	private long batch() {
		return this.line.keys()
			.stream()
			.filter((key) -> key.key().equals("line/batch"))
			.mapToLong((key) -> JsonMapper.shared().readTree(key.value()).path("number").asLong(0))
			.findFirst()
			.orElse(0);
	}

	private long count(Role role) {
		return this.line.brokers().stream().filter((broker) -> broker.role() == role).count();
	}

	private String name(Role role) {
		return this.line.brokers().stream().filter((broker) -> broker.role() == role).findFirst().orElseThrow().name();
	}

	private BrokerState state(String name) {
		return this.line.brokers().stream().filter((broker) -> broker.name().equals(name)).findFirst().orElseThrow();
	}

	private boolean has(Kind kind, String regex) {
		List<LogEntry> entries = this.line.log();
		return entries.stream().anyMatch((entry) -> entry.kind() == kind && entry.text().matches(regex));
	}

}
