package io.statestore.boot.testcontainers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Bind;
import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.Bytes;
import io.statestore.test.JavaProcess;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * The container image, used as in {@code docs/deployment.md}. Runs with
 * {@code -Dcontainers=true}, which states that a container engine has the image.
 */
@Tag("long")
@Tag("nightly")
@EnabledIfSystemProperty(named = "containers", matches = "true")
@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = "statestore.embedded.enabled=true")
class StateStoreContainerTests {

	private static final DockerClient ENGINE = DockerClientFactory.lazyClient();

	private static final int PORT = 1883;

	private static final String VOLUME = "statestore-container-tests";

	private static final long MEMORY = 256 << 20;

	private static final int NOT_AUTHORIZED = 0x87;

	@Test
	void applicationUsesContainerInsteadOfEmbeddedBroker(@Autowired StateStoreTemplate store,
			@Autowired GenericContainer<?> container) {
		store.set("press", Bytes.of("on"));
		assertHasPress(container);
	}

	@Test
	void keepsDataInVolumeWhenContainerIsReplaced() throws Exception {
		try (GenericContainer<?> container = withLogin(container(VOLUME + ":/var/lib/statestore"))) {
			container.start();
			setPress(container);
			assertThat(container.execInContainer("id", "-u").getStdout()).isEqualTo("10001\n");
			ENGINE.stopContainerCmd(container.getContainerId()).exec();
			assertThat(container.getCurrentContainerInfo().getState().getExitCodeLong()).isZero();
			assertThat(container.getLogs()).contains("State Store broker stopped");
		}
		try (GenericContainer<?> container = withLogin(container(VOLUME + ":/var/lib/statestore"))) {
			container.start();
			assertHasPress(container);
		}
		ENGINE.removeVolumeCmd(VOLUME).exec();
	}

	@Test
	void readsMountedPassword(@TempDir Path directory) throws IOException {
		Path password = Files.writeString(directory.resolve("password"), "test");
		try (GenericContainer<?> container = container(password + ":/run/secrets/password:ro").withCommand("--host",
				"0.0.0.0", "--data-directory", "/var/lib/statestore", "--user", "test", "--password-file",
				"/run/secrets/password", "--max-keys", "100000")) {
			container.start();
			assertThatNoException().isThrownBy(() -> setPress(container));
		}
	}

	@Test
	void isHealthyButRefusesClientsFromOutsideWithoutLogin() throws IOException {
		try (GenericContainer<?> container = container()) {
			container.start();
			try (RawMqttConnection stranger = new RawMqttConnection(container.getMappedPort(PORT))) {
				assertThat(stranger.connect("stranger").reason()).isEqualTo(NOT_AUTHORIZED);
			}
		}
	}

	private static GenericContainer<?> withLogin(GenericContainer<?> container) {
		return container.withEnv("STATESTORE_USERNAME", "test").withEnv("STATESTORE_PASSWORD", "test");
	}

	/** Returns a container whose image cannot be written to. */
	private static GenericContainer<?> container(String... mounts) {
		List<Bind> binds = Stream.of(mounts).map(Bind::parse).toList();
		return new GenericContainer<>("statestore-broker").withExposedPorts(PORT)
			.withCreateContainerCmdModifier(
					(command) -> command.getHostConfig().withBinds(binds).withMemory(MEMORY).withReadonlyRootfs(true))
			.waitingFor(Wait.forHealthcheck())
			.withStartupTimeout(JavaProcess.TIMEOUT);
	}

	private static void setPress(GenericContainer<?> container) {
		try (StateStoreConnection connection = connect(container)) {
			new StateStoreTemplate(connection).set("press", Bytes.of("on"));
		}
	}

	private static void assertHasPress(GenericContainer<?> container) {
		try (StateStoreConnection connection = connect(container)) {
			assertThat(new StateStoreTemplate(connection).getValue("press", Bytes.class)).contains(Bytes.of("on"));
		}
	}

	private static StateStoreConnection connect(GenericContainer<?> container) {
		return new StateStoreConnection(ConnectionOptions.builder()
			.host(container.getHost())
			.port(container.getMappedPort(PORT))
			.username("test")
			.password("test")
			.build());
	}

	@Configuration(proxyBeanMethods = false)
	@Import(StateStoreContainerConfiguration.class)
	@ImportAutoConfiguration({ ServiceConnectionAutoConfiguration.class, JacksonAutoConfiguration.class,
			EmbeddedStateStoreAutoConfiguration.class, StateStoreAutoConfiguration.class })
	static class Application {

	}

}
