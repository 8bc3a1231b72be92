package io.statestore.broker.standalone;

import io.statestore.broker.conformance.StandaloneProcess;
import io.statestore.broker.conformance.StoreClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tests a process that runs out of memory. */
@Timeout(60)
class ExhaustedMemoryTests {

	private static final int VALUE_SIZE = 12 * 1024 * 1024;

	@Tag("long")
	@Test
	void exitsWhenMemoryIsExhausted() throws Exception {
		// Packets arrive outside the heap, where heap limits do not apply.
		try (StandaloneProcess process = StandaloneProcess.start("-Xmx64m", "-XX:MaxDirectMemorySize=6m", "--port", "0",
				"--memory-per-client", "16000000")) {
			byte[] value = new byte[VALUE_SIZE];
			assertThatThrownBy(() -> {
				try (StoreClient client = StoreClient.connect(process.port(), "f2")) {
					client.call("SET", "k", value);
				}
			}).as("the connection ends").isNotNull();
			assertThat(process.exitCode()).isEqualTo(3);
		}
	}

}
