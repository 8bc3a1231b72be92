package io.statestore.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.statestore.broker.StateStoreBroker;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;

/** A broker with a history, in a process of its own, to be killed. */
final class BrokerProcess implements AutoCloseable {

	final int port;

	private final Process process;

	BrokerProcess(TowerAddress tower, Path directory) throws IOException {
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx256m", "-cp", System.getProperty("java.class.path"), BrokerProcess.class.getName(),
				String.valueOf(tower.inPort()), String.valueOf(tower.outPort()), directory.toString())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		BufferedReader out = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8));
		String line = out.readLine();
		while (line != null && !line.startsWith("port ")) {
			line = out.readLine();
		}
		if (line == null) {
			throw new IllegalStateException("The process of the broker ended");
		}
		this.port = Integer.parseInt(line.substring("port ".length()));
	}

	/** As {@code kill -9} does. */
	void kill() throws InterruptedException {
		this.process.destroyForcibly().waitFor();
	}

	@Override
	public void close() throws InterruptedException {
		kill();
	}

	public static void main(String[] args) throws Exception {
		NodeOptions network = NodeOptions.builder()
			.tower(new TowerAddress("127.0.0.1", Integer.parseInt(args[0]), Integer.parseInt(args[1])))
			.bindHost("127.0.0.1")
			.build();
		HistoryJournal journal = HistoryJournal.builder(Path.of(args[2])).network(network).start();
		StateStoreBroker broker = StateStoreBroker.builder().journal(journal).start();
		System.out.println("port " + broker.port());
		Thread.sleep(Long.MAX_VALUE);
	}

}
