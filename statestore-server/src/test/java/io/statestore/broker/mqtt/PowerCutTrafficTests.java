package io.statestore.broker.mqtt;

import java.io.IOException;
import java.nio.file.Path;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.crash.PowerCut;
import io.statestore.broker.crash.PowerCutShim;
import io.statestore.test.RequiresProgram;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests traffic during simulated power failures of the broker's process.
 * {@code -Dcrash.cuts=200} sets their number.
 */
@Tag("long")
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs LD_PRELOAD")
@RequiresProgram("gcc")
class PowerCutTrafficTests extends TrafficTest {

	private final PowerCut cut = new PowerCut(this.random);

	@TempDir
	Path work;

	private PowerCutShim shim;

	private @Nullable StandaloneProcess process;

	@BeforeEach
	void compile() throws Exception {
		this.shim = new PowerCutShim(this.work.resolve("shim"), this.work.resolve("data"));
	}

	@Override
	int start() {
		this.process = StandaloneProcess.start(this.shim.environment(), "--port", "0", "--data-directory",
				this.shim.directory().toString(), "--fsync", "always");
		return this.process.port();
	}

	@Override
	void end() throws IOException {
		if (this.process != null) {
			this.process.kill();
			this.shim.cut(this.cut);
		}
	}

	@Override
	int rounds() {
		return Integer.getInteger("crash.cuts", 4);
	}

}
