package io.statestore.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Broker with or without a login, rules, and TLS. Each runs in a process of its own. */
enum SecuredServer {

	OPEN("ours, open"),

	LOGIN("ours, login"),

	/** With 20 rules, the last of which permits the requests. */
	RULES("ours, login and rules"),

	TLS("ours, TLS"),

	TLS_AND_RULES("ours, TLS, login, and rules"),

	MOSQUITTO("Mosquitto"),

	MOSQUITTO_TLS("Mosquitto, TLS");

	static final String USER = "ada";

	static final String PASSWORD = "sesame";

	private static final int OTHER_RULES = 19;

	private final String text;

	SecuredServer(String text) {
		this.text = text;
	}

	boolean requiresLogin() {
		return this == LOGIN || this == RULES || this == TLS_AND_RULES;
	}

	boolean usesTls() {
		return this == TLS || this == TLS_AND_RULES || this == MOSQUITTO_TLS;
	}

	private boolean hasRules() {
		return this == RULES || this == TLS_AND_RULES;
	}

	private boolean isMosquitto() {
		return this == MOSQUITTO || this == MOSQUITTO_TLS;
	}

	boolean isInstalled() {
		return !isMosquitto() || ServerProcess.find("mosquitto") != null;
	}

	/**
	 * Starts the server, and waits until it listens.
	 * @param directory an existing directory for its files
	 */
	ServerProcess start(Path directory, PlantKeys keys) throws IOException, InterruptedException {
		int port = ServerProcess.freePort();
		return ServerProcess.start(port, directory.resolve("output.txt"),
				isMosquitto() ? mosquitto(port, directory, keys) : ours(port, directory, keys));
	}

	private List<String> ours(int port, Path directory, PlantKeys keys) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(ServerProcess.java(), "-Xmx512m", "-cp", System.getProperty("java.class.path"),
						"io.statestore.broker.standalone.StandaloneBroker", "--port", String.valueOf(port)));
		if (requiresLogin()) {
			Path password = Files.writeString(directory.resolve("password"), PASSWORD);
			command.addAll(List.of("--user", USER, "--password-file", password.toString()));
		}
		if (hasRules()) {
			command.addAll(List.of("--rules", rules(directory).toString()));
		}
		if (usesTls()) {
			command.addAll(List.of("--tls-cert", keys.certificate("server"), "--tls-key", keys.key("server")));
		}
		if (this == TLS_AND_RULES) {
			command.addAll(List.of("--tls-client-ca", keys.certificate("ca"), "--tls-client-auth", "want"));
		}
		return command;
	}

	private static Path rules(Path directory) throws IOException {
		StringBuilder rules = new StringBuilder();
		for (int i = 1; i <= OTHER_RULES; i++) {
			rules.append("user ").append(USER).append(" read,write key press-").append(i).append("/*\n");
		}
		rules.append("users read,write key benchmark/*\n");
		return Files.writeString(directory.resolve("rules"), rules);
	}

	private List<String> mosquitto(int port, Path directory, PlantKeys keys) throws IOException {
		String configuration = "listener " + port + " 127.0.0.1\nallow_anonymous true\nset_tcp_nodelay true\n"
				+ "max_inflight_messages 0\nmax_queued_messages 0\nuser root\n";
		if (usesTls()) {
			configuration += "certfile " + keys.certificate("server") + "\nkeyfile " + keys.key("server") + '\n';
		}
		Path file = Files.writeString(directory.resolve("mosquitto.conf"), configuration);
		return List.of(String.valueOf(ServerProcess.find("mosquitto")), "-c", file.toString());
	}

	@Override
	public String toString() {
		return this.text;
	}

}
