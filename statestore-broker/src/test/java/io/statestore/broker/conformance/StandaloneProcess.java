package io.statestore.broker.conformance;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.statestore.broker.standalone.StandaloneBroker;

/** The program of {@link StandaloneBroker} in a JVM of its own. */
public final class StandaloneProcess implements AutoCloseable {

	private static final Pattern READY = Pattern.compile("mqtts?://[^:]+:(\\d+)");

	private final Process process;

	private final int port;

	private StandaloneProcess(Process process, int port) {
		this.process = process;
		this.port = port;
	}

	/** Start it and wait until it says where it is. */
	public static StandaloneProcess start(String... arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
						System.getProperty("java.class.path"), StandaloneBroker.class.getName()));
		command.addAll(List.of(arguments));
		Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
		BufferedReader output = new BufferedReader(
				new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
		List<String> lines = new ArrayList<>();
		String line = output.readLine();
		while (line != null) {
			lines.add(line);
			Matcher ready = READY.matcher(line);
			if (ready.find()) {
				drain(output);
				return new StandaloneProcess(process, Integer.parseInt(ready.group(1)));
			}
			line = output.readLine();
		}
		throw new IOException("The standalone process ended: " + lines);
	}

	private static void drain(BufferedReader output) {
		Thread thread = new Thread(() -> output.lines().forEach((line) -> {
		}), "standalone-output");
		thread.setDaemon(true);
		thread.start();
	}

	public int port() {
		return this.port;
	}

	/** Stop it as Ctrl+C does, and wait for its end. */
	@Override
	public void close() {
		this.process.destroy();
		try {
			this.process.waitFor();
		}
		catch (InterruptedException ex) {
			this.process.destroyForcibly();
			Thread.currentThread().interrupt();
		}
	}

}
