package io.statestore.boot;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.cluster.Leadership;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.history.StateHistory;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.StoredChange;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** Applications that host the store themselves, as nodes of a cluster. */
@Timeout(120)
class EmbeddedClusterTests {

	/**
	 * Properties of a node. Tests replace single properties, so that the node does not
	 * start.
	 */
	private static String[] validProperties = {};

	@BeforeAll
	static void createValidProperties(@TempDir Path directory) throws Exception {
		validProperties = new ClusterFixture(directory, "a", "b", "c").properties("a", "new-cluster");
	}

	@TempDir
	private Path directory;

	private ApplicationContextRunner runner(ClusterFixture fixture, String node) throws Exception {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class,
					EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class))
			.withPropertyValues(fixture.properties(node, "new-cluster"))
			.withPropertyValues("statestore.embedded.history.size=1MB");
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(Duration.ofSeconds(40)).ignoreExceptions();
	}

	@Test
	void clientsUseTheirOwnNodesAcrossLeaderChange() throws Exception {
		ClusterFixture fixture = new ClusterFixture(this.directory, "a", "b", "c");
		ApplicationContextRunner second = runner(fixture, "b");
		ApplicationContextRunner third = runner(fixture, "c");
		runner(fixture, "a").run((a) -> second.run((b) -> third.run((c) -> {
			List<AssertableApplicationContext> contexts = List.of(a, b, c);
			contexts.forEach((context) -> assertThat(context).hasNotFailed());
			await().untilAsserted(() -> assertAllRead(contexts, "v1"));
			for (AssertableApplicationContext context : contexts) {
				assertThat(context.getBean(StateStoreConnectionDetails.class).getPort())
					.isEqualTo(context.getBean(StateStoreBroker.class).port());
			}
			StateStoreBroker leader = contexts.stream()
				.map((context) -> context.getBean(StateStoreBroker.class))
				.filter((broker) -> leadership(broker).leading())
				.findFirst()
				.orElseThrow();
			String next = leadership(leader).node().equals("a") ? "b" : "a";
			leader.transferLeadership(next);
			await().until(() -> next.equals(leadership(leader).leader()));
			await().untilAsserted(() -> assertAllRead(contexts, "v2"));
			assertThat(contexts).allSatisfy(
					(context) -> assertThat(context.getBean(StateHistory.class).changes("*").map(StoredChange::value))
						.contains(Bytes.of("v1"), Bytes.of("v2")));
		})));
	}

	private static Leadership leadership(StateStoreBroker broker) {
		return broker.leadership().orElseThrow();
	}

	private static void assertAllRead(List<AssertableApplicationContext> contexts, String value) {
		contexts.get(0).getBean(StateStoreTemplate.class).set("k", value);
		assertThat(contexts)
			.allSatisfy((context) -> assertThat(context.getBean(StateStoreTemplate.class).get("k", String.class))
				.hasValueSatisfying((entry) -> assertThat(entry.value()).isEqualTo(value)));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					statestore.embedded.cluster.peers=             | statestore.embedded.cluster.peers      | a=a.local:1885
					statestore.embedded.cluster.peers=a            | statestore.embedded.cluster.peers      | name=host:port
					statestore.embedded.cluster.advertise=a:0      | statestore.embedded.cluster.advertise  | a.local:1883
					statestore.embedded.cluster.node=d             | statestore.embedded.cluster.node       | a, b, c
					statestore.embedded.cluster.node=              | statestore.embedded.cluster.peers      | statestore.embedded.cluster.node
					statestore.embedded.cluster.ssl.bundle=        | statestore.embedded.cluster.ssl.bundle | SSL bundle
					statestore.embedded.data-directory=                 | statestore.embedded.data-directory          | directory of its own
					statestore.embedded.fsync=never                | statestore.embedded.fsync              | Remove the property
					statestore.embedded.cluster.election-timeout=1ms | statestore.embedded.cluster.election-timeout | 750ms to 60s
					statestore.embedded.persist=requested          | statestore.embedded.persist            | Remove the property
					statestore.embedded.history.retention=0s       | statestore.embedded.history.retention  | positive
					spring.ssl.bundle.pem.node.truststore.certificate= | statestore.embedded.cluster.ssl.bundle | trust store
					statestore.embedded.cluster.initial-state=existing     | statestore.embedded.cluster.node       | statestore.embedded.cluster.initial-state=new-cluster
					""")
	void errorNamesPropertyAndNextStep(String property, String name, String nextStep) {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(SslAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class))
			.withPropertyValues(validProperties)
			.withPropertyValues(property)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining(name)
				.hasMessageContaining(nextStep)
				.hasMessageNotContaining("--"));
	}

}
