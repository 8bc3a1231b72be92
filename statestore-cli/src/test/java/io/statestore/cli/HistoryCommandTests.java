package io.statestore.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.broker.StateStoreBroker;
import io.statestore.cli.Cli.Result;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.Position;
import io.statestore.dafka.CurveOptions;
import io.statestore.dafka.KeyDirectory;
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
			set(broker.port(), change[0], change[1], change[2]);
		}
	}

	private static void set(int port, String author, String key, String value) {
		try (Session session = new Session(ConnectionOptions.builder()
			.host("127.0.0.1")
			.port(port)
			.clientId(Author.ofAny(author).newClientId())
			.build())) {
			session.template().set(key, value);
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
	void readsEncryptedHistory(@TempDir Path directory) {
		KeyDirectory keys = new KeyDirectory(directory.resolve("keys"));
		keys.create(List.of("tower", "broker", "operator"), false);
		try (Tower encrypted = Tower.builder()
			.bindHost("127.0.0.1")
			.inPort(0)
			.outPort(0)
			.curve(CurveOptions.of(keys.secretKey("tower"), keys.peers()))
			.start();
				HistoryJournal changes = HistoryJournal.builder(directory.resolve("history"))
					.network(NodeOptions.builder()
						.tower(encrypted.address())
						.bindHost("127.0.0.1")
						.curve(CurveOptions.of(keys.secretKey("broker"), keys.peers()))
						.build())
					.start();
				StateStoreBroker other = StateStoreBroker.builder().journal(changes).start()) {
			set(other.port(), "alice", "recipe", "secret");
			List<String> valid = List.of("--curve-key", keys.secretKey("operator").toString(), "--curve-peers",
					keys.peers().toString());
			await().untilAsserted(() -> {
				Result result = history(encrypted, "60s", valid);
				assertThat(result.err()).isEmpty();
				assertThat(result.out()).contains("secret");
			});
			assertThat(history(encrypted, "200ms", List.of()).exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
			assertThat(history(encrypted, "60s", valid.subList(0, 2)).err()).contains("--curve-peers");
			Result wrongTower = history(encrypted, "60s",
					Stream.concat(valid.stream(), Stream.of("--curve-tower", "other")).toList());
			assertThat(wrongTower.exitCode()).isEqualTo(ExitCodes.USAGE);
			assertThat(wrongTower.err()).contains("--curve-tower", "does not contain 'other'");
		}
	}

	private static Result history(Tower network, String timeout, List<String> options) {
		return Cli.on(broker.port())
			.run(Stream.concat(
					Stream.of("history", "recipe", "--settle", "200ms", "--timeout", timeout, "--tower",
							"127.0.0.1:" + network.address().inPort() + ':' + network.address().outPort()),
					options.stream())
				.toArray(String[]::new));
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
		Result result = run("history", "recipe", "--topic", "missing", "--settle", "100ms", "--timeout", "200ms");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
		assertThat(result.err()).contains("statestore.history.enabled", "'missing'", "--tower");
	}

	@Test
	void refusesInvalidOptions() {
		assertThat(run("history", "--last", "0").exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(run("history", "--tower", "a:b:c:d").err()).contains("is not a tower");
	}

}
