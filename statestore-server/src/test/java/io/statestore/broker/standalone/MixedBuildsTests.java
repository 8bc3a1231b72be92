package io.statestore.broker.standalone;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.jar.JarFile;

import io.statestore.broker.conformance.StoreClient;
import io.statestore.test.PropertyType;
import io.statestore.test.RawConnect;
import io.statestore.test.RawControl;
import io.statestore.test.RawMqttConnection;
import io.statestore.test.RawPublish;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests upgrading a cluster, node by node, from an earlier build that keeps MQTT sessions
 * in the leader's memory. {@code -Dearlier.jar} names its executable JAR file.
 */
@Tag("long")
@Tag("nightly")
@EnabledIfSystemProperty(named = "earlier.jar", matches = ".+")
class MixedBuildsTests {

	private static final List<String> NAMES = List.of("a", "b", "c");

	private static final String[] OPTIONS = { "--anonymous", "all" };

	@TempDir
	Path directory;

	private final List<String> upgraded = new ArrayList<>();

	private final List<String> keys = new ArrayList<>();

	private ClusterProcesses cluster;

	@BeforeEach
	void create() {
		this.cluster = new ClusterProcesses(this.directory, NAMES);
	}

	@AfterEach
	void stop() {
		this.cluster.close();
	}

	@Test
	void keepsSessionsAfterUpgrade() throws Exception {
		List<Path> earlier = classPath(Path.of(System.getProperty("earlier.jar")));
		this.cluster.use(earlier);
		this.cluster.startAll("--anonymous", "all", "--new-cluster");
		set("before");
		this.cluster.use(List.of());
		for (int i = 0; i < 2; i++) {
			String follower = notUpgraded(this.cluster.leader());
			assertThat(this.cluster.stop(follower)).isZero();
			this.upgraded.add(follower);
			this.cluster.start(follower, OPTIONS);
			this.cluster.awaitReady();
			set("upgraded " + follower);
		}
		String last = this.cluster.leader();
		assertThat(this.upgraded).doesNotContain(last);
		assertThat(this.cluster.stop(last)).isZero();
		this.cluster.awaitReady();
		set("last node is down");
		this.cluster.start(last, OPTIONS);
		this.cluster.awaitReady();
		try (RawMqttConnection subscriber = connect(this.cluster.leader(), true)) {
			subscriber.subscribed("line", 1);
		}
		this.cluster.kill(this.cluster.leader());
		try (RawMqttConnection publisher = new RawMqttConnection(this.cluster.port(this.cluster.leader()));
				RawMqttConnection subscriber = connect(this.cluster.leader(), false)) {
			publisher.connect("publisher");
			publisher.send(publisher.publish("line", 1, "message"));
			RawPublish message = subscriber.receivePublish();
			assertThat(message.text()).isEqualTo("message");
		}
		for (String key : this.keys) {
			try (StoreClient client = this.cluster.client(this.cluster.leader())) {
				assertThat(client.value(key)).isEqualTo(key);
			}
		}
		String downgraded = this.cluster.follower();
		assertThat(this.cluster.stop(downgraded)).isZero();
		this.cluster.use(earlier);
		this.cluster.start(downgraded, OPTIONS);
		assertThat(this.cluster.awaitEnd(downgraded)).contains("Run the same version on all nodes");
	}

	private String notUpgraded(String leader) {
		return NAMES.stream()
			.filter((name) -> !name.equals(leader) && !this.upgraded.contains(name))
			.findFirst()
			.orElseThrow();
	}

	/** Writes a key through each running node. */
	private void set(String key) {
		for (String name : this.cluster.names()) {
			try (StoreClient client = this.cluster.client(name)) {
				client.call("SET", key, key);
				assertThat(client.value(key)).isEqualTo(key);
			}
		}
		this.keys.add(key);
	}

	private RawMqttConnection connect(String node, boolean cleanStart) {
		return ClusterProcesses.await().until(() -> tryConnect(node, cleanStart), Objects::nonNull);
	}

	private @Nullable RawMqttConnection tryConnect(String node, boolean cleanStart) throws IOException {
		RawMqttConnection connection = new RawMqttConnection(this.cluster.port(node));
		try {
			connection
				.send(RawConnect.of("client", PropertyType.SESSION_EXPIRY_INTERVAL.of(3_600)).cleanStart(cleanStart));
			RawControl connack = (RawControl) connection.read();
			assertThat(connack.sessionPresent()).isEqualTo(!cleanStart);
			return connection;
		}
		catch (IOException ex) {
			connection.close();
			return null;
		}
	}

	/** Extracts the classes and libraries of an executable JAR file. */
	private List<Path> classPath(Path jar) throws IOException {
		Path target = this.directory.resolve("earlier");
		List<Path> classPath = new ArrayList<>(List.of(target.resolve("BOOT-INF/classes")));
		try (JarFile file = new JarFile(jar.toFile())) {
			for (var entry : file.stream().filter((each) -> !each.isDirectory()).toList()) {
				Path path = target.resolve(entry.getName());
				Files.createDirectories(path.getParent());
				try (InputStream content = file.getInputStream(entry)) {
					Files.copy(content, path);
				}
				if (entry.getName().endsWith(".jar")) {
					classPath.add(path);
				}
			}
		}
		return classPath;
	}

}
