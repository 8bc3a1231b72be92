package io.statestore.dafka.zmtp;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** An {@link AttackedCluster} in a process of its own, with a small heap. */
final class ClusterProcess implements AutoCloseable {

	private static final String READY = "ready";

	private static final String SERVES = "serves";

	private final Process process;

	private final BufferedReader out;

	private final Map<String, Integer> ports = new HashMap<>();

	ClusterProcess() throws IOException {
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx256m", "-cp", System.getProperty("java.class.path"), ClusterProcess.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		this.out = new BufferedReader(new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8));
		for (String line = read(); !line.equals(READY); line = read()) {
			String[] port = line.split("=");
			if (port.length == 2) {
				this.ports.put(port[0], Integer.valueOf(port[1]));
			}
		}
	}

	Map<String, Integer> ports() {
		return this.ports;
	}

	/** Has all nodes serve a record, and a new node join. Fails if one of them cannot. */
	void assertServes() throws IOException {
		OutputStream in = this.process.getOutputStream();
		in.write('\n');
		in.flush();
		String line = read();
		if (!line.equals(SERVES)) {
			throw new AssertionError("The nodes do not serve: " + line);
		}
	}

	private String read() throws IOException {
		String line = this.out.readLine();
		if (line == null) {
			throw new AssertionError("The process of the nodes ended");
		}
		return line;
	}

	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

	/** Runs in the other process. */
	public static void main(String[] arguments) throws IOException {
		try (AttackedCluster cluster = new AttackedCluster()) {
			cluster.assertServes();
			cluster.ports().forEach((node, port) -> System.out.println(node + '=' + port));
			System.out.println(READY);
			while (System.in.read() >= 0) {
				cluster.assertServes();
				cluster.assertAcceptsNodes();
				System.out.println(SERVES);
			}
		}
		catch (Throwable ex) {
			System.out.println(ex);
			throw ex;
		}
	}

}
