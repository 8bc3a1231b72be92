package io.statestore.dafka.endtoend;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.store.Store;

/** A store in a process of its own, to be killed. */
final class StoreProcess implements AutoCloseable {

	private final Process process;

	StoreProcess(TowerAddress tower, Path directory) throws IOException {
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx256m", "-cp", System.getProperty("java.class.path"), StoreProcess.class.getName(),
				String.valueOf(tower.inPort()), String.valueOf(tower.outPort()), directory.toString())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		BufferedReader out = new BufferedReader(
				new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8));
		String line = out.readLine();
		while (line != null && !line.equals("started")) {
			line = out.readLine();
		}
		if (line == null) {
			throw new IllegalStateException("The process of the store ended");
		}
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
		NodeOptions node = NodeOptions.builder()
			.tower(new TowerAddress("127.0.0.1", Integer.parseInt(args[0]), Integer.parseInt(args[1])))
			.bindHost("127.0.0.1")
			.build();
		Store store = Store.builder(node).directory(Path.of(args[2])).start();
		System.out.println("started");
		Thread.sleep(Long.MAX_VALUE);
		store.close();
	}

}
