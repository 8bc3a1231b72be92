package io.statestore.cli;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.statestore.broker.StateStoreBroker;
import io.statestore.cli.Cli.Result;
import io.statestore.client.DeleteResult;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.ErrorReason;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** Deletion of the keys that match a pattern. */
@Timeout(120)
class DelPatternTests {

	private StateStoreBroker broker;

	@BeforeEach
	void start() {
		this.broker = StateStoreBroker.builder().start();
		for (int i = 0; i < 250; i++) {
			set("machines/" + i + "/temp", "v" + i);
		}
		set("machines/1/speed", "v");
	}

	@AfterEach
	void stop() {
		this.broker.close();
	}

	private Cli cli() {
		return Cli.on(this.broker.port());
	}

	private void set(String key, String value) {
		assertThat(cli().run("set", key, value).exitCode()).isZero();
	}

	private long count(String pattern) {
		return Long.parseLong(cli().run("scan", pattern, "--count", "-o", "raw").out().strip());
	}

	@Test
	void asksThenDeletes() {
		Result result = cli().typing("y").run("del", "--pattern", "machines/*/temp", "-o", "json");
		assertThat(result.exitCode()).as(result.err()).isZero();
		assertThat(result.err()).contains("Keys that match 'machines/*/temp': 250. Delete them? [y/N]");
		assertThat(result.err().lines()).hasSize(11)
			.filteredOn((line) -> line.matches("'machines/\\d+/temp'"))
			.hasSize(10);
		assertThat(result.out())
			.isEqualTo("{\"pattern\":\"machines/*/temp\",\"deleted\":250,\"changed\":0,\"refused\":0}\n");
		assertThat(count("*")).isOne();
	}

	@Test
	void deletesNothingWithoutConfirmation() {
		for (String answer : new String[] { "n", "", "delete" }) {
			Result result = cli().typing(answer).run("del", "machines/*", "--pattern");
			assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
			assertThat(result.err()).contains("Nothing was deleted");
		}
		assertThat(count("*")).isEqualTo(251);
	}

	@Test
	void refusesToAskWithoutTerminal() {
		Result result = cli().run("del", "--pattern", "machines/*");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
		assertThat(result.err()).contains("add --yes");
		assertThat(count("*")).isEqualTo(251);
	}

	@Test
	void yesOptionSkipsConfirmation() {
		Result result = cli().run("del", "--pattern", "machines/*/temp", "--yes", "-o", "raw");
		assertThat(result.exitCode()).as(result.err()).isZero();
		assertThat(result.err()).isEmpty();
		assertThat(result.out()).isEqualTo("machines/*/temp\t250\t0\t0\n");
		assertThat(count("*")).isOne();
	}

	@Test
	void keepsKeysChangedAfterListing() {
		Runnable changes = () -> {
			set("machines/1/temp", "changed");
			set("machines/2/temp", "v2");
			set("machines/new/temp", "new");
		};
		Result result = cli().input(new Answer(changes), true).run("del", "--pattern", "machines/*/temp", "-o", "raw");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(result.out()).isEqualTo("machines/*/temp\t248\t3\t0\n");
		assertThat(result.err()).contains("have changed meanwhile");
		assertThat(cli().run("get", "machines/1/temp", "-o", "raw").out()).isEqualTo("changed");
		assertThat(count("machines/*/temp")).isEqualTo(3);
	}

	@Test
	void keepsKeysChangedDuringListing() {
		Runnable changes = () -> {
			try (Session session = new Session(
					ConnectionOptions.builder().host("127.0.0.1").port(this.broker.port()).build())) {
				for (int i = 0; i < 250; i++) {
					session.template().set("machines/" + i + "/temp", "v" + i);
				}
			}
		};
		// The first 100 keys are read before the first key is shown, the others later.
		Result result = cli().typing("y")
			.onFirstMessage(changes)
			.run("del", "--pattern", "machines/*/temp", "-o", "raw");
		assertThat(result.exitCode()).as(result.err()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(result.out()).isEqualTo("machines/*/temp\t150\t100\t0\n");
		assertThat(count("machines/*/temp")).isEqualTo(100);
	}

	@Test
	void countsAllRepliesBeforeFailure() {
		StateStoreException failure = new StateStoreException("No reply");
		CompletableFuture<DeleteResult> deleted = CompletableFuture
			.completedFuture(new DeleteResult(DeleteResult.Outcome.DELETED, null));
		DelCommand command = new DelCommand();
		assertThatException()
			.isThrownBy(() -> command.count(List.of(deleted, CompletableFuture.failedFuture(failure), deleted,
					CompletableFuture.failedFuture(StateStoreRefusedException.of(ErrorReason.NOT_AUTHORIZED, "No")))))
			.isSameAs(failure);
		assertThat(command.deleted).isEqualTo(2);
	}

	@Test
	void countsRefusedKeys() {
		String token = cli().run("set", "lock", "me", "-o", "json")
			.out()
			.replaceAll(".*\"version\":\"([^\"]+)\".*\\n", "$1");
		assertThat(cli().run("set", "machines/3/temp", "x", "--token", token).exitCode()).isZero();
		Result result = cli().run("del", "--pattern", "machines/*/temp", "--yes", "-o", "raw");
		assertThat(result.exitCode()).isEqualTo(ExitCodes.REFUSED);
		assertThat(result.out()).isEqualTo("machines/*/temp\t249\t0\t1\n");
		assertThat(result.err()).contains("machines/3/temp", "fencing token");
		assertThat(cli().run("del", "--pattern", "machines/*/temp", "--yes", "--token", token).exitCode()).isZero();
	}

	@Test
	void reportsThatNoKeyMatches() {
		assertThat(cli().run("del", "--pattern", "x/*", "--yes").exitCode()).isEqualTo(ExitCodes.NOT_MET);
		Result asked = cli().typing("y").run("del", "--pattern", "x/*");
		assertThat(asked.exitCode()).isEqualTo(ExitCodes.NOT_MET);
		assertThat(asked.err()).contains("No key matches 'x/*'");
	}

	/** A user's answer. The keys change after the question. */
	private static final class Answer extends FilterInputStream {

		private final Runnable changes;

		private boolean changed;

		Answer(Runnable changes) {
			super(InputStream.nullInputStream());
			this.changes = changes;
		}

		@Override
		public int read(byte[] target, int from, int length) throws IOException {
			if (this.changed) {
				return -1;
			}
			this.changed = true;
			this.changes.run();
			target[from] = 'y';
			target[from + 1] = '\n';
			return 2;
		}

	}

}
