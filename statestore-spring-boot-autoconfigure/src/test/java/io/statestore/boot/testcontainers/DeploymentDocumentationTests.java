package io.statestore.boot.testcontainers;

import javax.net.ssl.SSLContext;

import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.test.DocumentedSnippets;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Compiles and runs the snippets of {@code docs/deployment.md}. */
class DeploymentDocumentationTests {

	@Test
	void containsSnippets() throws Exception {
		DocumentedSnippets.assertAllIn("deployment.md", 2, DeploymentDocumentationTests.class,
				StateStoreContainerConfiguration.class);
	}

	// The host on the page does not exist.
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
