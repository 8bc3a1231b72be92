package io.statestore.client.mqtt.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.statestore.broker.gateway.StateStoreGateway;
import io.statestore.client.ClientResources;
import io.statestore.client.Key;
import io.statestore.client.KeyChange;
import io.statestore.client.KeyChange.Operation;
import io.statestore.client.KeyWatch;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.TestOptions;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.client.watch.KeyWatches;
import io.statestore.client.watch.WatchOptions;
import io.statestore.protocol.Topics;
import io.statestore.test.Mosquitto;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Watches on an ordinary broker with the state store behind it. */
@Timeout(60)
class WatchThroughGatewayTests {

	private final List<KeyChange<String>> told = new CopyOnWriteArrayList<>();

	@Test
	@RequiresProgram("mosquitto")
	void watchesAcrossRestartsOfBrokerAndGateway() throws IOException {
		try (Mosquitto mosquitto = Mosquitto.start()) {
			StateStoreGateway gateway = gateway(mosquitto);
			StateStoreConnection connection = new StateStoreConnection(TestOptions.of(mosquitto).build());
			try (KeyWatches watches = watches(connection)) {
				connection.start();
				StateStoreTemplate template = new StateStoreTemplate(connection, null, watches);
				template.watch("key", String.class, this.told::add);
				template.set("key", "1");
				template.set("key", "2");
				awaitTold(2);
				assertThat(this.told).noneMatch(KeyChange::resynchronized);

				mosquitto.restart();
				await("the gateway").until(gateway::isServing);
				template.set("key", "3");
				awaitLast("3");

				// The client stays connected while the gateway is replaced.
				gateway.close();
				gateway = gateway(mosquitto);
				await("the deletion " + this.told).until(() -> last().operation() == Operation.DELETE);
				template.set("key", "4");
				awaitLast("4");
				assertThat(this.told.stream().map(KeyChange::version)).isSorted().doesNotHaveDuplicates();
			}
			finally {
				connection.stop();
				gateway.close();
			}
		}
	}

	private static KeyWatches watches(StateStoreConnection connection) {
		return new KeyWatches(connection,
				WatchOptions.DEFAULT.withRenewal(Duration.ofSeconds(1))
					.withRetryDelay(Duration.ofMillis(50), Duration.ofMillis(200)),
				null, StateStoreObservability.NONE, new ClientResources());
	}

	@Test
	@RequiresProgram("mosquitto")
	void watchesPatternAcrossRestartOfGateway() {
		try (Mosquitto mosquitto = Mosquitto.start()) {
			StateStoreGateway gateway = gateway(mosquitto);
			StateStoreConnection connection = new StateStoreConnection(TestOptions.of(mosquitto).build());
			try (KeyWatches watches = watches(connection)) {
				connection.start();
				StateStoreTemplate template = new StateStoreTemplate(connection, null, watches);
				template.watch("press/*", String.class, this.told::add);
				template.set("press/1", "1");
				template.set("other", "1");
				template.set("press/2", "2");
				awaitTold(2);
				assertThat(this.told).noneMatch(KeyChange::resynchronized);

				// The gateway continues the watch of a client that was disconnected.
				connection.stop();
				try (StateStoreConnection other = new StateStoreConnection(TestOptions.of(mosquitto).build())) {
					other.start();
					new StateStoreTemplate(other).set("press/2", "meanwhile");
				}
				connection.start();
				awaitTold(3);
				awaitLast("meanwhile");

				gateway.close();
				gateway = gateway(mosquitto);
				await("the deletions " + this.told).until(() -> this.told.size() == 5);
				assertThat(this.told.subList(3, 5)).allMatch((change) -> change.operation() == Operation.DELETE);
				template.set("press/3", "3");
				awaitLast("3");
			}
			finally {
				connection.stop();
				gateway.close();
			}
		}
	}

	// An ACL file would not do: Mosquitto grants every subscription then and delivers
	// nothing.
	@Test
	@RequiresProgram("mosquitto")
	void watchesOnceBrokerAllowsNotifications() throws Exception {
		Path plugin = Stream.of("/usr/lib", "/usr/local/lib")
			.flatMap((folder) -> plugins(Path.of(folder)))
			.findFirst()
			.orElse(null);
		Assumptions.assumeTrue(plugin != null, "needs the dynamic security plugin of mosquitto");
		Path rules = Files.createTempFile("mosquitto", ".json");
		// Started by root, the broker reads it as another user.
		Files.setPosixFilePermissions(rules, PosixFilePermissions.fromString("rw-r--r--"));
		Files.writeString(rules, rules(false));
		try (Mosquitto mosquitto = Mosquitto.start("allow_anonymous true", "plugin " + plugin,
				"plugin_opt_config_file " + rules); StateStoreGateway gateway = gateway(mosquitto)) {
			StateStoreConnection connection = new StateStoreConnection(TestOptions.of(mosquitto).build());
			try (KeyWatches watches = new KeyWatches(connection)) {
				StateStoreTemplate template = new StateStoreTemplate(connection, null, watches);
				KeyWatch watch = template.async().watch(Key.of("key"), String.class, (spec) -> {
				}, this.told::add);
				connection.start();
				assertThatThrownBy(() -> watch.started().get(30, TimeUnit.SECONDS))
					.hasCauseInstanceOf(StateStoreException.class)
					.hasMessageContaining("Keys cannot be watched")
					.hasMessageContaining(Topics.notificationFilter(connection.getClientId()))
					.hasMessageContaining("not authorized (0x87). Allow it ");
				assertThatThrownBy(() -> template.watch("other", String.class, this.told::add))
					.isInstanceOf(StateStoreException.class)
					.hasMessageContaining("Keys cannot be watched");
				template.set("key", "1");
				assertThat(template.get("key", String.class).orElseThrow().value()).isEqualTo("1");
				assertThat(watch.isActive()).isFalse();

				mosquitto.stop();
				Files.writeString(rules, rules(true));
				mosquitto.restart();
				await("the watch").until(watch::isActive);
				template.set("key", "2");
				awaitTold(1);
				awaitLast("2");
			}
			finally {
				connection.stop();
			}
		}
		finally {
			Files.delete(rules);
		}
	}

	private static Stream<Path> plugins(Path folder) {
		try {
			return Files.isDirectory(folder)
					? Files.find(folder, 2, (path, attributes) -> path.endsWith("mosquitto_dynamic_security.so"))
					: Stream.empty();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Everybody may do everything but, perhaps, subscribe to notifications. */
	private static String rules(boolean notifications) {
		return """
				{"defaultACLAccess": {"publishClientSend": true, "publishClientReceive": true,
					"subscribe": true, "unsubscribe": true},
				"roles": [{"rolename": "all", "acls": [
					{"acltype": "subscribePattern", "topic": "clients/statestore/#", "allow": %s}]}],
				"groups": [{"groupname": "all", "roles": [{"rolename": "all"}]}],
				"anonymousGroup": "all"}
				""".formatted(notifications);
	}

	private static StateStoreGateway gateway(Mosquitto mosquitto) {
		return StateStoreGateway.builder().host("127.0.0.1").port(mosquitto.port()).start();
	}

	private KeyChange<String> last() {
		return this.told.get(this.told.size() - 1);
	}

	private void awaitLast(String value) {
		await(value + " in " + this.told).until(() -> value.equals(last().value()));
	}

	private void awaitTold(int count) {
		await(count + " changes: " + this.told).until(() -> this.told.size() >= count);
	}

}
