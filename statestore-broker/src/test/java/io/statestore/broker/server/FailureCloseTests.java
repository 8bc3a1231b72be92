package io.statestore.broker.server;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.log.TestDisk.Hold;
import io.statestore.broker.storage.Fsync;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Reply;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Closing a server whose disk or caller does not cooperate. */
class FailureCloseTests {

	private static final Bytes KEY = Bytes.of("k");

	private static final Command SET = new Command.Set(KEY, Bytes.of("v"));

	@AutoClose
	private final RestartableStore store = new RestartableStore();

	private void send(Command command) {
		this.store.server().request(this.store.connect("client").draft(command).toRequest());
	}

	private void useShortInterval() {
		this.store.with(Fsync.INTERVAL);
		this.store.storage = this.store.storage.withFsyncInterval(Duration.ofMillis(20));
	}

	@ParameterizedTest
	@EnumSource(names = { "ALWAYS", "INTERVAL" })
	void closesInFailureCallback(Fsync fsync) {
		useShortInterval();
		this.store.with(fsync);
		StateStoreServer server = this.store.server();
		CompletableFuture<Void> closed = server.failure().thenRun(server::close);
		this.store.disk.fail();
		send(SET);
		assertThat(closed).succeedsWithin(9, TimeUnit.SECONDS);
	}

	@Test
	void interruptedCloseReleasesDirectory(@TempDir Path directory) {
		StateStoreServerOptions options = StateStoreServerOptions.defaults()
			.withStorage(StorageOptions.in(directory).withFsync(Fsync.NEVER));
		StateStoreServer server = new StateStoreServer(options);
		long last = RecordingConnection.to(server, "client").call(SET).version().wallMillis();
		Thread.currentThread().interrupt();
		server.close();
		assertThat(Thread.interrupted()).isTrue();
		try (StateStoreServer next = new StateStoreServer(options)) {
			RecordingConnection client = RecordingConnection.to(next, "client");
			assertThat(client.call(new Command.Get(KEY)).reply()).isEqualTo(new Reply.Value(Bytes.of("v")));
			assertThat(client.call(SET).version().wallMillis()).as("version after a complete close")
				.isLessThan(last + 25_000);
		}
	}

	@Tag("long")
	@Tag("nightly")
	@ParameterizedTest
	@EnumSource(names = { "ALWAYS", "INTERVAL" })
	void closeDoesNotWaitForHungDisk(Fsync fsync) throws InterruptedException {
		useShortInterval();
		this.store.with(fsync);
		StateStoreServer server = this.store.server();
		Hold hold = this.store.disk.holdNextForce();
		send(SET);
		hold.awaitReached();
		Thread closing = new Thread(server::close);
		closing.start();
		closing.join(13_000);
		boolean closed = !closing.isAlive();
		hold.release();
		assertThat(closed).as("closed while the disk hangs").isTrue();
		// Waits for the task that continues.
		server.close();
		this.store.restart();
		assertThat(this.store.connect("client").call(new Command.Get(KEY)).reply())
			.isEqualTo(new Reply.Value(Bytes.of("v")));
	}

}
