package io.statestore.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.statestore.broker.standalone.StandaloneBroker;
import io.statestore.cli.Cli.Result;
import io.statestore.test.JavaProcess;
import io.statestore.test.RequiresProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A locked-down broker, set up by its commands in separate processes, with the command
 * line as its client.
 */
@Tag("long")
@Timeout(120)
class StandaloneSecurityTests {

	@TempDir
	private static Path directory;

	private static JavaProcess broker;

	private static String port;

	@BeforeAll
	static void start() throws Exception {
		Files.writeString(directory.resolve("password"), "sesame\n");
		Files.writeString(directory.resolve("wrong"), "open\n");
		Files.writeString(directory.resolve("rules"), """
				users read,write key {username}/*
				users read,write topic {username}/#
				""");
		assertThat(run("certs", "--directory", file("certs"), "--host", "localhost")).isZero();
		assertThat(run("passwd", file("users"), "ada", "--password-file", file("password"))).isZero();
		broker = launch("--port", "0", "--tls-cert", file("certs/server.pem"), "--tls-key",
				file("certs/server-key.pem"), "--users", file("users"), "--rules", file("rules"));
		port = broker.await("mqtts://localhost:(\\d+)").group(1);
	}

	@AfterAll
	static void stop() {
		if (broker != null) {
			broker.terminate();
			broker.awaitExit();
		}
	}

	private static JavaProcess launch(String... arguments) {
		return JavaProcess.of(StandaloneBroker.class).withoutTests().arguments((Object[]) arguments).start();
	}

	private static int run(String... arguments) {
		return launch(arguments).awaitExit(Duration.ofSeconds(60));
	}

	private static String file(String name) {
		return directory.resolve(name).toString();
	}

	private static Result cli(String passwordFile, String... command) {
		List<String> arguments = new ArrayList<>(List.of(command));
		arguments.addAll(List.of("--url=mqtts://localhost:" + port, "--ca", file("certs/ca.pem"), "--user", "ada",
				"--password-file", file(passwordFile)));
		return new Cli().run(arguments.toArray(String[]::new));
	}

	@Test
	void servesUserWithinRules() {
		Result set = cli("password", "set", "ada/k", "v");
		assertThat(set.exitCode()).as(set.err()).isZero();
		assertThat(cli("password", "get", "ada/k").out()).contains("v");
		Result denied = cli("password", "set", "bob/k", "v");
		assertThat(denied.exitCode()).isNotZero();
		assertThat(denied.err()).contains("not authorized", "rules");
		assertThat(broker.await("event=denied principal=\"ada\".* action=write key=\"bob/k\"")).isNotNull();
	}

	@Test
	void checkRulesAgreesWithBroker() {
		assertThat(run("check-rules", "--rules", file("rules"), "ada", "ada/k")).isZero();
		assertThat(run("check-rules", "--rules", file("rules"), "ada", "bob/k")).isOne();
	}

	@Test
	void refusesWrongAndMissingLogin() {
		Result wrong = cli("wrong", "get", "ada/k");
		assertThat(wrong.exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
		assertThat(wrong.err()).contains("--user", "--password-file").doesNotContain("open");
		Result missing = new Cli().run("get", "ada/k", "--url=mqtts://localhost:" + port, "--ca", file("certs/ca.pem"));
		assertThat(missing.exitCode()).isEqualTo(ExitCodes.NO_CONNECTION);
		assertThat(missing.err()).contains("--user");
	}

	@Test
	void healthCheckNeedsNoLogin() {
		assertThat(run("health", "--tls", "--ca-file", file("certs/ca.pem"), "--port", port)).isZero();
	}

	@Test
	@RequiresProgram("mosquitto_pub")
	void servesMosquittoClients() throws Exception {
		assertThat(publish("ada/t", "sesame")).isZero();
		assertThat(publish("bob/t", "sesame")).isZero();
		assertThat(broker.await("event=denied principal=\"ada\".*topic=\"bob/t\"")).isNotNull();
		assertThat(publish("ada/t", "open")).isNotZero();
	}

	private static int publish(String topic, String password) throws Exception {
		Process process = new ProcessBuilder("mosquitto_pub", "-V", "5", "-h", "localhost", "-p", port, "--cafile",
				file("certs/ca.pem"), "-u", "ada", "-P", password, "-t", topic, "-m", "x", "-q", "1")
			.redirectErrorStream(true)
			.redirectOutput(directory.resolve("mosquitto.log").toFile())
			.start();
		assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
		return process.exitValue();
	}

}
