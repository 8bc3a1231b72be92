package io.statestore.broker.crash;

import java.nio.file.Path;
import java.util.function.Consumer;

import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import io.statestore.test.TestRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Tests a power failure of a broker that keeps only requested keys. */
@Tag("long")
@Tag("nightly")
@Timeout(120)
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs LD_PRELOAD")
@RequiresProgram("gcc")
class RequestedKeysPowerFailureTests {

	private static final int KEYS = 20;

	private static final String OK = "+OK⏎";

	private static final Consumer<RawPublish> PERSISTENT = (request) -> request.with("aio-persistence", "true");

	private final PowerCut cut = new PowerCut(TestRandom.create(RequestedKeysPowerFailureTests.class));

	@TempDir
	Path work;

	private PowerCutShim shim;

	@BeforeEach
	void compile() throws Exception {
		this.shim = new PowerCutShim(this.work.resolve("shim"), this.work.resolve("data"));
	}

	private StandaloneProcess start() {
		return StandaloneProcess.start(this.shim.environment(), "--port", "0", "--data-directory",
				this.shim.directory().toString(), "--persist", "requested");
	}

	@Test
	void keepsRequestedKeysLeasesAndTokens() throws Exception {
		try (StandaloneProcess broker = start()) {
			StoreClient client = StoreClient.connect(broker.port(), "client");
			for (int i = 0; i < KEYS; i++) {
				assertThat(Resp.text(client.call(PERSISTENT, "SET", "kept-" + i, String.valueOf(i)))).isEqualTo(OK);
				assertThat(Resp.text(client.call("SET", "volatile-" + i, String.valueOf(i)))).isEqualTo(OK);
			}
			assertThat(Resp.text(client.call(PERSISTENT, "SET", "lock", "holder", "NEX", "PX", "600000")))
				.isEqualTo(OK);
			assertThat(Resp.text(client.call(PERSISTENT.andThen(token(2)), "SET", "fenced", "later"))).isEqualTo(OK);
			broker.kill();
		}
		this.shim.cut(this.cut);
		try (StandaloneProcess broker = start(); StoreClient client = StoreClient.connect(broker.port(), "other")) {
			for (int i = 0; i < KEYS; i++) {
				assertThat(client.value("kept-" + i)).isEqualTo(String.valueOf(i));
				assertThat(client.value("volatile-" + i)).isNull();
			}
			assertThat(Resp.text(client.call(PERSISTENT, "SET", "lock", "waiter", "NEX", "PX", "600000")))
				.isEqualTo(":-1⏎");
			assertThat(Resp.text(client.call(PERSISTENT.andThen(token(1)), "SET", "fenced", "stale")))
				.contains("lower version");
			assertThat(client.value("fenced")).isEqualTo("later");
		}
	}

	private static Consumer<RawPublish> token(int counter) {
		return (request) -> request.with("__ft", "1700000000000:" + counter + ":holder");
	}

}
