package io.statestore.cli;

import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.cli.Cli.Result;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.tower.Tower;
import io.statestore.history.HistoryChange;
import io.statestore.history.HistoryJournal;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The command history with a broker that keeps a history. */
@Timeout(120)
class HistoryCommandTests {

	@TempDir
	private static Path directory;

	private static Tower tower;

	private static HistoryJournal journal;

	private static StateStoreBroker broker;

	@BeforeAll
	static void start() {
		tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();
		journal = HistoryJournal.builder(directory).network(network()).start();
		broker = StateStoreBroker.builder().journal(journal).start();
		for (String[] change : new String[][] { { "alice", "recipe", "bread" }, { "night shift", "other", "x" },
				{ "bob", "recipe", "rolls" } }) {
			try (Session session = new Session(ConnectionOptions.builder()
				.host("127.0.0.1")
				.port(broker.port())
				.clientId(Author.ofAny(change[0]).newClientId())
				.build())) {
				session.template().set(change[1], change[2]);
			}
		}
	}

	private static NodeOptions network() {
		return NodeOptions.builder().tower(tower.address()).bindHost("127.0.0.1").build();
	}

	private static Result run(String... arguments) {
		return Cli.on(broker.port())
			.with("STATESTORE_TOWER", "127.0.0.1:" + tower.address().inPort() + ':' + tower.address().outPort())
			.run(arguments);
	}

	@AfterAll
	static void stop() {
		broker.close();
		journal.close();
		tower.close();
	}

	@Test
	void showsWhoChangedKeyAndWhen() {
		// The journal announces its last changes a moment later.
		await().untilAsserted(() -> {
			Result result = run("history", "recipe", "-o", "json", "--settle", "200ms", "--timeout", "60s");
			assertThat(result.err()).isEmpty();
			assertThat(result.exitCode()).isZero();
			assertThat(result.out().lines().filter((line) -> line.contains("\"set\""))).satisfiesExactly(
					(first) -> assertThat(first).contains("\"who\":\"alice\"", "\"value\":\"bread\"", "\"time\":\"20"),
					(second) -> assertThat(second).contains("\"who\":\"bob\"", "\"value\":\"rolls\""));
		});
	}

	@Test
	void showsLastChangesOfAllKeys() {
		await().untilAsserted(() -> {
			String out = run("history", "-n", "2", "-o", "raw", "--settle", "200ms", "--timeout", "60s").out();
			assertThat(out.lines()).hasSize(2);
			assertThat(out).contains("night_shift", "rolls").doesNotContain("bread");
		});
	}

	@Test
	void authorIsUserOfClientThatHasLoggedIn() {
		assertThat(HistoryCommand.who(change("cli-alice-01234567", null))).isEqualTo("alice");
		assertThat(HistoryCommand.who(change("cli-alice-01234567", "cli-bob-01234567"))).isEqualTo("cli-bob-01234567");
		assertThat(HistoryCommand.who(change("oven-1", null))).isEqualTo("oven-1");
		assertThat(HistoryCommand.who(change(null, null))).isNull();
	}

	private static HistoryChange change(@Nullable String clientId, @Nullable String principal) {
		Version version = new Version(1, 0, "StateStore");
		return new HistoryChange(new Position("topic", "A1", 1), HistoryChange.Operation.SET, Bytes.of("k"),
				Bytes.of("v"), version, version, clientId, principal);
	}

	@Test
	void explainsHowToEnableHistory() {
		Result result = run("history", "recipe", "--topic", "missing", "--settle", "100ms", "--timeout", "1s");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
		assertThat(result.err()).contains("statestore.history.enabled", "'missing'", "--tower");
	}

	@Test
	void refusesInvalidOptions() {
		assertThat(run("history", "--last", "0").exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(run("history", "--tower", "a:b:c:d").err()).contains("is not a tower");
	}

}
