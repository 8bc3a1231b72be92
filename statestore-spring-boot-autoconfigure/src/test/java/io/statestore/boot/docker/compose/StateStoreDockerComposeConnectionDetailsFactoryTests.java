package io.statestore.boot.docker.compose;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.statestore.boot.StateStoreConnectionDetails;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.BeanUtils;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

class StateStoreDockerComposeConnectionDetailsFactoryTests {

	private static final String LABEL = "org.springframework.boot.service-connection";

	@ParameterizedTest
	@ValueSource(strings = { "statestore-broker", "statestore-broker:0.1.0", "localhost/statestore-broker:latest" })
	void connectsToServiceWithOwnImage(String image) throws Exception {
		StateStoreConnectionDetails details = details(new Service(image, Map.of(), Map.of()));
		assertThat(details).isNotNull();
		assertThat(details.getHost()).isEqualTo("docker.example");
		assertThat(details.getPort()).isEqualTo(31883);
		assertThat(details.getUsername()).isNull();
		assertThat(details.getPassword()).isNull();
		assertThat(details.getSslBundle()).isNull();
	}

	@Test
	void readsCredentialsFromServiceEnvironment() throws Exception {
		StateStoreConnectionDetails details = details(new Service("statestore-broker", Map.of(),
				Map.of("STATESTORE_USERNAME", "press", "STATESTORE_PASSWORD", "sesame")));
		assertThat(details).isNotNull();
		assertThat(details.getUsername()).isEqualTo("press");
		assertThat(details.getPassword()).isEqualTo("sesame");
	}

	@Test
	void connectsToServiceWithLabel() throws Exception {
		assertThat(details(new Service("eclipse-mosquitto:2", Map.of(LABEL, "statestore"), Map.of()))).isNotNull();
	}

	@Test
	void connectsToTlsPortWithBundleLabels() throws Exception {
		String bundle = "org.springframework.boot.sslbundle.jks.truststore.location";
		StateStoreConnectionDetails details = details(
				new Service("eclipse-mosquitto:2", Map.of(LABEL, "statestore", bundle, trustStoreOfJvm()), Map.of()));
		assertThat(details).isNotNull();
		assertThat(details.getPort()).isEqualTo(38883);
		assertThat(details.getSslBundle()).isNotNull();
	}

	@Test
	void ignoresOtherImages() throws Exception {
		assertThat(details(new Service("eclipse-mosquitto:2", Map.of(), Map.of()))).isNull();
	}

	@Test
	void ignoresServiceLabeledOtherwise() throws Exception {
		assertThat(details(new Service("statestore-broker", Map.of(LABEL, "redis"), Map.of()))).isNull();
	}

	private static String trustStoreOfJvm() {
		return Path.of(System.getProperty("java.home"), "lib", "security", "cacerts").toUri().toString();
	}

	private static @Nullable StateStoreConnectionDetails details(RunningService service) throws Exception {
		DockerComposeConnectionSource source = BeanUtils.instantiateClass(
				DockerComposeConnectionSource.class.getDeclaredConstructor(RunningService.class, Environment.class),
				service, new MockEnvironment());
		Map<Class<?>, ConnectionDetails> details = new ConnectionDetailsFactories(null).getConnectionDetails(source,
				false);
		return (StateStoreConnectionDetails) details.get(StateStoreConnectionDetails.class);
	}

	private record Service(ImageReference image, Map<String, String> labels,
			Map<String, String> env) implements RunningService {

		Service(String image, Map<String, String> labels, Map<String, String> env) {
			this(ImageReference.of(image), labels, env);
		}

		@Override
		public String name() {
			return "broker";
		}

		@Override
		public String host() {
			return "docker.example";
		}

		@Override
		public ConnectionPorts ports() {
			return new MappedPorts();
		}

	}

	/** Maps each port to a port that is greater by 30,000. */
	private static final class MappedPorts implements ConnectionPorts {

		@Override
		public int get(int containerPort) {
			return 30000 + containerPort;
		}

		@Override
		public List<Integer> getAll() {
			return getAll(null);
		}

		@Override
		public List<Integer> getAll(@Nullable String protocol) {
			return List.of(31883, 38883);
		}

	}

}
