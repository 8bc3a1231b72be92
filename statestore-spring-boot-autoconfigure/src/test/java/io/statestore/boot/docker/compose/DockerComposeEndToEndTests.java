package io.statestore.boot.docker.compose;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.regex.Pattern;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import io.statestore.test.JavaProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** An application with a {@code compose.yaml}. */
@DisabledOnOs(OS.WINDOWS)
@Tag("long")
class DockerComposeEndToEndTests {

	private static final Pattern YAML = Pattern.compile("```yaml\\R(.*?)```", Pattern.DOTALL);

	private final Path directory;

	DockerComposeEndToEndTests(@TempDir Path directory) {
		this.directory = directory;
	}

	// A script replaces the docker command, and a broker of the test the container.
	@Test
	void connectsToServiceInsteadOfEmbeddedBroker() throws Exception {
		try (StateStoreBroker broker = StateStoreBroker.builder().account("press", "sesame").start()) {
			docker(broker.port());
			run("# Read by the docker command", this.directory + ":" + System.getenv("PATH"));
			assertThat(broker.statistics().store().keys()).isOne();
		}
	}

	/**
	 * Runs with {@code -Dcontainers=true}, which states that a container engine has the
	 * images, and that Docker Compose uses it.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "image: statestore-broker", "image: eclipse-mosquitto" })
	@Tag("nightly")
	@EnabledIfSystemProperty(named = "containers", matches = "true")
	void connectsToContainersOfDocumentation(String content) throws Exception {
		String compose = YAML.matcher(Files.readString(Path.of("../docs/deployment.md")))
			.results()
			.map((block) -> block.group(1))
			.filter((block) -> block.contains(content))
			.findFirst()
			.orElseThrow();
		run(compose, System.getenv("PATH"));
	}

	private void run(String compose, String path) throws Exception {
		Path file = Files.writeString(this.directory.resolve("compose.yaml"), compose);
		try (JavaProcess application = JavaProcess.of(Application.class)
			.arguments("--spring.docker.compose.enabled=true", "--spring.docker.compose.file=" + file,
					"--spring.docker.compose.stop.command=down", "--spring.docker.compose.stop.arguments=--volumes",
					"--statestore.embedded.enabled=true")
			.environment(Map.of("PATH", path))
			.start()) {
			assertThat(application.awaitExit()).as(() -> application.output() + application.errors()).isZero();
			assertThat(application.output()).contains("Read on, embedded brokers: 0");
		}
	}

	/** Writes a {@code docker} command that reports one running service. */
	private void docker(int port) throws IOException {
		Path script = Files.writeString(this.directory.resolve("docker"),
				"""
						#!/bin/sh
						case "$*" in
						version*) echo 28.0.0 ;;
						"compose version"*) echo '{"version":"2.40.0"}' ;;
						"context ls"*) echo '{"Name":"default","Current":true,"DockerEndpoint":"unix:///var/run/docker.sock"}' ;;
						compose*config*) echo '{"name":"press","services":{"store":{"image":"statestore-broker:0.1.0"}}}' ;;
						compose*ps*) echo '{"ID":"1","Name":"press-store-1","Image":"statestore-broker:0.1.0","State":"running"}' ;;
						inspect*) echo '{"Id":"1","Config":{"Image":"statestore-broker:0.1.0","Labels":{},\
						"ExposedPorts":{"1883/tcp":{}},"Env":["STATESTORE_USERNAME=press","STATESTORE_PASSWORD=sesame"]},\
						"NetworkSettings":{"Ports":{"1883/tcp":[{"HostIp":"127.0.0.1","HostPort":"%d"}]}},\
						"HostConfig":{"NetworkMode":"press_default"}}' ;;
						esac
						"""
					.formatted(port));
		Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
	}

	@SpringBootConfiguration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ JacksonAutoConfiguration.class, EmbeddedStateStoreAutoConfiguration.class,
			StateStoreAutoConfiguration.class })
	static class Application {

		public static void main(String[] arguments) {
			try (ConfigurableApplicationContext context = SpringApplication.run(Application.class, arguments)) {
				StateStoreOperations store = context.getBean(StateStoreOperations.class);
				store.set("press", "on");
				System.out.println("Read " + store.getValue("press", String.class).orElseThrow()
						+ ", embedded brokers: " + context.getBeanNamesForType(StateStoreBroker.class).length);
			}
		}

	}

}
