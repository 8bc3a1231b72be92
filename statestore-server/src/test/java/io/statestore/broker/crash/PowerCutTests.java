package io.statestore.broker.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

import io.statestore.test.JavaProcess;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests the simulated power failure, on a process whose operations are known. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs LD_PRELOAD")
@RequiresProgram("gcc")
class PowerCutTests {

	private static final int CUTS = 200;

	@TempDir
	Path work;

	private PowerCutShim shim;

	private JavaProcess start() throws Exception {
		this.shim = new PowerCutShim(this.work.resolve("shim"), this.work.resolve("data"));
		return JavaProcess.of(FileProgram.class)
			.environment(this.shim.environment())
			.arguments(this.shim.directory())
			.start();
	}

	/** Returns the contents of a file after each of several cuts. */
	private TreeSet<String> contents(String file, boolean lenient) throws IOException {
		List<JournalRecord> records = JournalRecord.read(this.shim.journal());
		TreeSet<String> contents = new TreeSet<>();
		Random random = new Random(1);
		for (int i = 0; i < CUTS; i++) {
			PowerCut cut = new PowerCut((path) -> lenient, random);
			cut.replay(records);
			cut.cut(this.shim.directory());
			Path path = this.shim.directory().resolve(file);
			contents.add(Files.exists(path) ? Files.readString(path) : "(absent)");
		}
		return contents;
	}

	@Test
	void keepsForcedDataAndAnyPartOfRest() throws Exception {
		try (JavaProcess process = start()) {
			process.await("ready");
			process.kill();
		}
		assertThat(contents("forced", false)).containsExactly("(absent)", "forced");
		assertThat(contents("unforced", false)).containsExactly("", "unforced");
		assertThat(contents("new", false)).containsExactly("renamed");
		assertThat(contents("linked", false)).containsExactly("renamed");
		assertThat(contents("old", false)).containsExactly("(absent)");
		assertThat(contents("deleted", false)).containsExactly("(absent)");
		assertThat(contents("lost", false)).containsExactly("(absent)", "lost");
		assertThat(contents("lost", true)).containsExactly("lost");
	}

	@Test
	void failsForcesAndWritesOnRequest() throws Exception {
		List<String> results = new ArrayList<>();
		try (JavaProcess process = start()) {
			process.await("ready");
			this.shim.failForces(1);
			process.write("f");
			results.add(process.await("^1 .*$").group());
			process.write("f");
			results.add(process.await("^2 .*$").group());
			this.shim.full(true);
			process.write("w");
			results.add(process.await("^3 .*$").group());
			this.shim.full(false);
			this.shim.failWrites(1);
			process.write("w");
			results.add(process.await("^4 .*$").group());
			process.write("w");
			results.add(process.await("^5 .*$").group());
		}
		assertThat(results).containsExactly("1 failed Input/output error", "2 succeeded",
				"3 failed No space left on device", "4 failed Input/output error", "5 succeeded");
	}

	@Test
	void laterForceDoesNotCoverFailedForce() throws Exception {
		try (JavaProcess process = start()) {
			process.await("ready");
			process.write("w");
			process.await("^1 succeeded");
			this.shim.failForces(1);
			process.write("f");
			process.await("^2 failed");
			process.write("f");
			process.await("^3 succeeded");
			process.kill();
		}
		assertThat(contents("failing", true)).containsExactly("", "x");
	}

}
