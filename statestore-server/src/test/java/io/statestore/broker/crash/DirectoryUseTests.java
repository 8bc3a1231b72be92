package io.statestore.broker.crash;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

import io.statestore.broker.conformance.Hlc;
import io.statestore.broker.conformance.Resp;
import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import io.statestore.broker.conformance.Faketime;
import io.statestore.test.JavaProcess;
import io.statestore.test.RawPublish;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests brokers on a directory that is in use, cannot be written, or was written in the
 * future.
 */
@Tag("long")
@Tag("nightly")
@Timeout(120)
class DirectoryUseTests {

	private static final long DAY_MILLIS = 86_400_000;

	@TempDir
	Path directory;

	private StandaloneProcess start(Map<String, String> environment) {
		return StandaloneProcess.start(environment, "--port", "0", "--data-directory", this.directory.toString());
	}

	@Test
	void refusesSecondBrokerOnDirectory() {
		try (StandaloneProcess first = start(Map.of())) {
			JavaProcess second = StandaloneProcess.launch("--port", "0", "--data-directory", this.directory.toString());
			assertThat(second.awaitExit()).isNotZero();
			assertThat(second.errors() + second.output()).contains(this.directory.toString()).contains("in use");
			try (StoreClient client = StoreClient.connect(first.port(), "client")) {
				assertThat(Resp.text(client.call("SET", "k", "v"))).isEqualTo("+OK⏎");
			}
		}
	}

	/** Not even root can create directories in the {@code /proc} file system. */
	@Test
	@EnabledOnOs(value = OS.LINUX, disabledReason = "has no /proc")
	void reportsDirectoryThatCannotBeCreated() {
		JavaProcess broker = StandaloneProcess.launch("--port", "0", "--data-directory", "/proc/statestore");
		assertThat(broker.awaitExit()).isNotZero();
		assertThat(broker.errors() + broker.output()).contains("/proc/statestore");
	}

	@Test
	@RequiresProgram("faketime")
	void versionsIncreaseIfClockIsSetBackOneDay() throws Exception {
		Hlc before;
		Hlc token;
		try (StandaloneProcess broker = start(Map.of());
				StoreClient client = StoreClient.connect(broker.port(), "client")) {
			token = Hlc.of(client.call("SET", "lock", "holder"));
			before = Hlc.of(client.callFenced(token, "SET", "k", "1"));
			broker.kill();
		}
		try (StandaloneProcess broker = start(Faketime.offset("-1d"));
				StoreClient client = StoreClient.connect(broker.port(), "client")) {
			RawPublish reply = client.call((request) -> request.at(Hlc.now(-DAY_MILLIS).padded()), "SET", "other", "2");
			assertThat(Hlc.of(reply)).isGreaterThan(before);
			assertThat(Hlc.of(client.call("GET", "k"))).isEqualTo(before);
			RawPublish fenced = client.call(
					(request) -> request.at(Hlc.now(-DAY_MILLIS).padded()).with("__ft", Hlc.of(reply).unpadded()),
					"SET", "k", "3");
			assertThat(Resp.text(fenced)).isEqualTo("+OK⏎");
		}
	}

	@Test
	void deletedDirectoryDoesNotStopReads() throws Exception {
		try (StandaloneProcess broker = start(Map.of());
				StoreClient client = StoreClient.connect(broker.port(), "client")) {
			client.call("SET", "k", "v");
			// The broker may create a file in the meantime.
			await().ignoreExceptions().until(this::emptyDirectory);
			assertThat(client.value("k")).isEqualTo("v");
		}
	}

	private boolean emptyDirectory() throws IOException {
		try (Stream<Path> paths = Files.walk(this.directory)) {
			for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
				if (!path.equals(this.directory)) {
					Files.delete(path);
				}
			}
		}
		return true;
	}

}
