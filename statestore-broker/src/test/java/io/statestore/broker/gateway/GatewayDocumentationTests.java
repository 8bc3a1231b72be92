package io.statestore.broker.gateway;

import javax.net.ssl.SSLContext;

import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Compiles and runs the snippet of {@code docs/gateway.md}. */
class GatewayDocumentationTests {

	@Test
	void containsSnippet() throws Exception {
		DocumentedSnippets.assertAllIn("gateway.md", 1, GatewayDocumentationTests.class);
	}

	// The host of the page does not exist.
	@Test
	void reportsUnknownHost() {
		assertThatIllegalStateException().isThrownBy(() -> serve("secret")).withMessageContaining("broker.example");
	}

	private static void serve(String password) throws Exception {
		try (StateStoreGateway gateway = StateStoreGateway.builder()
			.host("broker.example")
			.port(8883)
			.tls(SSLContext.getDefault())
			.login("statestore-gateway", password)
			.start()) {
			gateway.stopped().join();
		}
	}

}
