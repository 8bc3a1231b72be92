package io.statestore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.StateStoreBroker;
import io.statestore.cli.Cli.Result;
import io.statestore.client.Key;
import io.statestore.client.lock.FencedLock;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.Version;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The {@code lock} command with programs in separate processes, and other uses of a lock.
 */
@Timeout(120)
class LockCommandTests {

	private static StateStoreBroker broker;

	private static Session session;

	private final String name = "lock-" + UUID.randomUUID();

	@TempDir
	private Path directory;

	@BeforeAll
	static void start() {
		broker = StateStoreBroker.builder().start();
		session = new Session(ConnectionOptions.builder().host("127.0.0.1").port(broker.port()).build());
	}

	@AfterAll
	static void stop() {
		session.close();
		broker.close();
	}

	private Result run(String... arguments) {
		return Cli.on(broker.port()).run(arguments);
	}

	private boolean isHeld() {
		return session.template().get(this.name, byte[].class).isPresent();
	}

	@Test
	void passesTokenAndNameToProgram() throws IOException {
		Path file = this.directory.resolve("variables");
		Result result = run("lock", this.name, "--", "sh", "-c",
				"echo \"$STATESTORE_LOCK_NAME $STATESTORE_LOCK_TOKEN\" > '" + file + "'");

		assertThat(result.exitCode()).isZero();
		String[] variables = Files.readString(file).strip().split(" ");
		assertThat(variables[0]).isEqualTo(this.name);
		assertThat(Version.parse(variables[1]).nodeId()).isEqualTo("StateStore");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void returnsExitCodeOfProgram() {
		assertThat(run("lock", this.name, "--", "sh", "-c", "exit 42").exitCode()).isEqualTo(42);
		assertThat(isHeld()).isFalse();
	}

	@Test
	void passesArgumentsToProgramUnchanged() throws IOException {
		Path file = this.directory.resolve("arguments");
		Path expanded = Files.writeString(this.directory.resolve("expanded"), "other");
		assertThat(run("lock", this.name, "--", "sh", "-c", "echo \"$@\" > '" + file + "'", "sh", "@" + expanded, "--",
				"-p", "--wait")
			.exitCode()).isZero();
		assertThat(file).hasContent("@" + expanded + " -- -p --wait");
	}

	@Test
	void reportsProgramThatCannotBeStarted() {
		Result result = run("lock", this.name, "--", "/no/such/program", "--wait");
		assertThat(result.exitCode()).isEqualTo(127);
		assertThat(result.err()).contains("/no/such/program");
		assertThat(isHeld()).isFalse();
	}

	@Test
	void withoutLockNeitherStartsProgramNorWrites() {
		FencedLock lock = session.locks(LockOptions.DEFAULT.withHolderName("oven-1")).obtain(this.name);
		lock.lock();
		Path file = this.directory.resolve("started");
		String key = this.name + "/setpoint";

		CompletableFuture<Result> set = CompletableFuture
			.supplyAsync(() -> run("set", key, "1", "--under-lock", this.name, "--wait", "5s"));
		Result result = run("lock", this.name, "--wait", "5s", "--", "touch", file.toString());

		assertThat(result.exitCode()).isEqualTo(LockCommand.NOT_ACQUIRED).isEqualTo(75);
		assertThat(result.err()).contains("is held by oven-1");
		assertThat(file).doesNotExist();
		assertThat(set.join().exitCode()).isEqualTo(LockCommand.NOT_ACQUIRED);
		assertThat(set.join().err()).contains("held by oven-1", "nothing was done");
		assertThat(session.template().get(key, String.class)).isEmpty();
		lock.unlock();
	}

	@Test
	void terminatesProgramWhenLockIsLost() throws IOException {
		Path started = this.directory.resolve("started");
		Path signaled = this.directory.resolve("signaled");
		CompletableFuture<Result> running = CompletableFuture
			.supplyAsync(() -> run("lock", this.name, "--lease", "3s", "--", "sh", "-c", "trap 'touch \"" + signaled
					+ "\"; exit 3' TERM; touch '" + started + "'; while :; do sleep 0.05; done"));
		await().until(() -> Files.exists(started));

		session.template().delete(this.name);

		await().atMost(Duration.ofSeconds(60)).until(running::isDone);
		assertThat(running.join().exitCode()).isEqualTo(76);
		assertThat(running.join().err()).contains("the lock was lost");
		assertThat(signaled).exists();
		assertThat(isHeld()).isFalse();
	}

	@Test
	@Tag("long")
	void descendantsHaveTimeToEnd() {
		Path started = this.directory.resolve("started");
		Path finished = this.directory.resolve("finished");
		// The shell ends immediately; its worker ends one second after the signal.
		try (JavaProcess process = process("30s", "sh", "-c", "sh -c 'trap \"sleep 1; touch " + finished
				+ "; exit\" TERM; touch " + started + "; while :; do sleep 0.05; done' & wait")) {
			await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(started));

			process.terminate();
			await().pollInterval(Duration.ofMillis(5)).until(() -> Files.exists(finished) || !isHeld());

			assertThat(finished).exists();
			process.awaitExit();
			assertThat(isHeld()).isFalse();
		}
	}

	/** A signal interrupts the command while it waits. */
	@Test
	void interruptWhileWaitingLeavesNothingBehind() throws Exception {
		FencedLock lock = session.locks(LockOptions.DEFAULT).obtain(this.name);
		lock.lock();
		Path file = this.directory.resolve("started");
		Key successor = new Key(LockNames.successor(Bytes.of(this.name)));
		FutureTask<Result> command = new FutureTask<>(() -> run("lock", this.name, "--", "touch", file.toString()));
		Thread thread = new Thread(command);
		thread.start();
		await().atMost(Duration.ofSeconds(60)).until(() -> session.template().get(successor, Bytes.class).isPresent());

		thread.interrupt();

		assertThat(command.get(60, TimeUnit.SECONDS).err()).doesNotContain("Exception");
		assertThat(session.template().get(successor, Bytes.class)).isEmpty();
		lock.unlock();
		assertThat(isHeld()).isFalse();
		assertThat(file).doesNotExist();
	}

	@Test
	@Tag("long")
	void killsProgramThatIgnoresTermination() {
		Path started = this.directory.resolve("started");
		CompletableFuture<Result> running = CompletableFuture
			.supplyAsync(() -> run("lock", this.name, "--lease", "3s", "--grace", "100ms", "--", "sh", "-c",
					"trap '' TERM; touch '" + started + "'; while :; do sleep 0.05; done"));
		await().until(() -> Files.exists(started));

		session.template().delete(this.name);

		await().atMost(Duration.ofSeconds(60)).until(running::isDone);
		assertThat(running.join().exitCode()).isEqualTo(76);
	}

	@Test
	void signalEndsProgramAndReleasesLock() {
		Path started = this.directory.resolve("started");
		Path signaled = this.directory.resolve("signaled");
		try (JavaProcess process = process("30s", "sh", "-c", "trap 'touch \"" + signaled + "\"; exit 3' TERM; touch '"
				+ started + "'; while :; do sleep 0.05; done")) {
			await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(started));
			assertThat(isHeld()).isTrue();

			process.terminate();

			assertThat(process.awaitExit()).isEqualTo(3);
			assertThat(signaled).exists();
			assertThat(isHeld()).isFalse();
		}
	}

	@Test
	void signalEndsWaitForLock() {
		FencedLock lock = session.locks(LockOptions.DEFAULT).obtain(this.name);
		lock.lock();
		Key successor = new Key(LockNames.successor(Bytes.of(this.name)));
		try (JavaProcess process = process("30s", "sh", "-c", "exit 3")) {
			await().atMost(Duration.ofSeconds(60))
				.until(() -> session.template().get(successor, Bytes.class).isPresent());

			process.terminate();

			assertThat(process.awaitExit()).isEqualTo(130);
			assertThat(session.template().get(successor, Bytes.class)).isEmpty();
		}
		lock.unlock();
	}

	@Test
	@Tag("long")
	void lockOfKilledCommandEndsWithItsLease() {
		Path started = this.directory.resolve("started");
		try (JavaProcess process = process("2s", "sh", "-c", "touch '" + started + "'; sleep 3")) {
			await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(started));
			process.kill();

			await().atMost(Duration.ofSeconds(60)).until(() -> !isHeld());
		}
	}

	private JavaProcess process(String lease, String... program) {
		String[] arguments = new String[program.length + 5];
		arguments[0] = "lock";
		arguments[1] = this.name;
		arguments[2] = "--lease";
		arguments[3] = lease;
		arguments[4] = "--";
		System.arraycopy(program, 0, arguments, 5, program.length);
		return JavaProcess.of(StateStoreCli.class)
			.arguments((Object[]) arguments)
			.environment(Map.of("STATESTORE_URL", "mqtt://127.0.0.1:" + broker.port()))
			.start();
	}

}
