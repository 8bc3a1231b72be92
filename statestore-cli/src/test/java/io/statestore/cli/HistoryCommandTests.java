package io.statestore.cli;

import java.nio.file.Path;
import java.util.function.Consumer;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.cli.Cli.Result;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The {@code history} command with a broker that keeps a history. */
@Timeout(120)
class HistoryCommandTests {

	@TempDir
	private static Path directory;

	private static StateStoreBroker broker;

	@BeforeAll
	static void start() {
		broker = StateStoreBroker.builder()
			.storage(StorageOptions.in(directory).withHistory(HistoryRetention.UNLIMITED))
			.start();
		as("alice", (template) -> template.set("recipe", "bread"));
		as("night shift", (template) -> template.set("other", "x"));
		as("bob", (template) -> template.set("recipe", "rolls"));
	}

	private static void as(String author, Consumer<StateStoreTemplate> change) {
		try (Session session = new Session(ConnectionOptions.builder()
			.host("127.0.0.1")
			.port(broker.port())
			.clientId(Author.ofAny(author).newClientId())
			.build())) {
			change.accept(session.template());
		}
	}

	@AfterAll
	static void stop() {
		broker.close();
	}

	private static Result run(String... arguments) {
		return Cli.on(broker.port()).run(arguments);
	}

	@Test
	void showsWhoChangedKeyAndWhen() {
		Result result = run("history", "recipe", "-o", "json");
		assertThat(result.err()).isEmpty();
		assertThat(result.exitCode()).isZero();
		assertThat(result.out().lines()).satisfiesExactly(
				(first) -> assertThat(first).contains("\"who\":\"alice\"", "\"operation\":\"set\"",
						"\"value\":\"bread\"", "\"time\":\"20"),
				(second) -> assertThat(second).contains("\"who\":\"bob\"", "\"value\":\"rolls\""));
	}

	@Test
	void showsLastChangesForPattern() {
		String out = run("history", "[or]*e*", "-n", "2", "-o", "raw").out();
		assertThat(out.lines()).hasSize(2);
		assertThat(out).contains("night_shift", "rolls").doesNotContain("bread");
	}

	@Test
	void showsRecentChanges() throws InterruptedException {
		as("alice", (template) -> template.set("lately", "1"));
		assertThat(run("history", "lately", "--since", "1h", "-o", "raw").out().lines()).hasSize(1);
		Thread.sleep(20);
		assertThat(run("history", "lately", "--since", "1ms", "-o", "raw").out()).isEmpty();
	}

	@Test
	void followsNewChanges() throws InterruptedException {
		as("alice", (template) -> template.set("followed", "1"));
		Cli cli = Cli.on(broker.port());
		Thread command = new Thread(() -> cli.run("history", "followed", "--follow"));
		command.start();
		try {
			await().untilAsserted(() -> assertThat(cli.printed().lines()).hasSize(2));
			as("alice", (template) -> template.delete("followed"));
			await()
				.untilAsserted(() -> assertThat(cli.printed().lines()).hasSize(3).last().asString().contains("delete"));
		}
		finally {
			command.interrupt();
			command.join();
		}
	}

	@Test
	void authorIsUserOfAuthenticatedClient() {
		assertThat(HistoryCommand.who(change("cli-alice-01234567", null))).isEqualTo("alice");
		assertThat(HistoryCommand.who(change("cli-alice-01234567", "cli-bob-01234567"))).isEqualTo("cli-bob-01234567");
		assertThat(HistoryCommand.who(change("oven-1", null))).isEqualTo("oven-1");
		assertThat(HistoryCommand.who(change(null, null))).isNull();
	}

	private static StoredChange change(@Nullable String clientId, @Nullable String principal) {
		return new StoredChange(Operation.SET, Bytes.of("k"), Bytes.of("v"), new Version(1, 0, "StateStore"), clientId,
				principal);
	}

	@Test
	void explainsHowToEnableHistory() {
		try (StateStoreBroker other = StateStoreBroker.builder().start()) {
			Result result = Cli.on(other.port()).run("history", "recipe");
			assertThat(result.exitCode()).isEqualTo(ExitCodes.REFUSED);
			assertThat(result.err()).contains("keeps no history", "--history-retention",
					"statestore.embedded.history.retention");
		}
	}

	@Test
	void refusesInvalidArguments() {
		assertThat(run("history", "--last", "0").exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(run("history", "[a").exitCode()).isEqualTo(ExitCodes.USAGE);
	}

}
