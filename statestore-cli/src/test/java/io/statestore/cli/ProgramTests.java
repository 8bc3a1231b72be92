package io.statestore.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/** A program whose descendants end later than the program. */
@Timeout(120)
class ProgramTests {

	@TempDir
	private Path directory;

	private final List<ProcessHandle> processes = new ArrayList<>();

	@AfterEach
	void kill() {
		this.processes.forEach(ProcessHandle::destroyForcibly);
	}

	/** Starts a shell with a worker in the background. */
	private Program start(String trap, Duration grace) throws IOException {
		assumeThat(Path.of("/bin/sh")).isExecutable();
		Path started = this.directory.resolve("started");
		String worker = "trap \"" + trap + "\" TERM; touch " + started + "; while :; do sleep 0.02; done";
		// The output is discarded, because a shell reports the end of its child, which
		// would fail once this process closes a pipe.
		Process process = new ProcessBuilder("/bin/sh", "-c", "/bin/sh -c '" + worker + "' & wait")
			.redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		this.processes.add(process.toHandle());
		await().until(() -> Files.exists(started));
		process.children().forEach(this.processes::add);
		assertThat(this.processes).hasSize(2);
		return new Program(process, grace);
	}

	@Test
	void killsDescendantThatIgnoresTermination() throws Exception {
		Program program = start("", Duration.ofMillis(100));
		program.terminate();
		assertThat(program.await()).isEqualTo(128 + 15);
		assertThat(this.processes).noneMatch(Program::isRunning);
	}

	@Test
	void waitReturnsAfterDescendantsEnd() throws Exception {
		Path finished = this.directory.resolve("finished");
		Program program = start("sleep 0.3; touch " + finished + "; exit", Duration.ofSeconds(60));
		CompletableFuture<Boolean> awaited = CompletableFuture.supplyAsync(() -> {
			try {
				program.await();
				return Files.exists(finished);
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		program.terminate();
		assertThat(finished).exists();
		assertThat(awaited.get(60, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void signalToProgramAlsoEndsItsDescendants() throws Exception {
		Path finished = this.directory.resolve("finished");
		Program program = start("sleep 0.3; touch " + finished + "; exit", Duration.ofSeconds(60));
		CompletableFuture<Integer> exitCode = CompletableFuture.supplyAsync(() -> {
			try {
				return program.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		await().until(() -> program.knows(this.processes.get(1)));
		this.processes.get(0).destroy();
		assertThat(exitCode.get(60, TimeUnit.SECONDS)).isEqualTo(128 + 15);
		assertThat(finished).exists();
		assertThat(this.processes).noneMatch(Program::isRunning);
	}

	@Test
	void terminatingEndedProgramDoesNothing() throws Exception {
		Program program = new Program(new ProcessBuilder("/bin/sh", "-c", "exit 3").start(), Duration.ofSeconds(60));
		assertThat(program.await()).isEqualTo(3);
		program.terminate();
		assertThat(program.await()).isEqualTo(3);
	}

}
