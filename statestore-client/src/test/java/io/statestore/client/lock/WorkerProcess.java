package io.statestore.client.lock;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import io.statestore.client.observation.DroppingProxy;
import io.statestore.client.observation.TestClient;

/** A {@link LockWorker} in a JVM of its own, behind a network of its own. */
final class WorkerProcess implements AutoCloseable {

	/** For what takes a moment on an idle machine. */
	static final Duration PATIENCE = Duration.ofMinutes(2);

	/** Reports that nobody has waited for. */
	private final Queue<String> signs = new ConcurrentLinkedQueue<>();

	private final String name;

	private final DroppingProxy network;

	private final Process process;

	private final Thread reader;

	/**
	 * Starts it, and waits for nothing.
	 * @param output where it writes what it should not
	 * @param reports is told its name and its reports, on a thread of its own
	 */
	WorkerProcess(String name, int port, Duration lease, Path output, BiConsumer<String, String> reports) {
		this.name = name;
		this.network = new DroppingProxy(port);
		try {
			this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-Xmx64m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
					System.getProperty("java.class.path"), LockWorker.class.getName(), name,
					String.valueOf(this.network.port()), String.valueOf(lease.toMillis()))
				.redirectError(ProcessBuilder.Redirect.appendTo(output.toFile()))
				.start();
		}
		catch (IOException ex) {
			this.network.close();
			throw new UncheckedIOException(ex);
		}
		this.reader = new Thread(() -> read(reports), "reports of " + name);
		this.reader.setDaemon(true);
		this.reader.start();
	}

	private void read(BiConsumer<String, String> reports) {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				if (line.indexOf(' ') < 0) {
					this.signs.add(line);
				}
				else {
					reports.accept(this.name, line);
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	String name() {
		return this.name;
	}

	DroppingProxy network() {
		return this.network;
	}

	/** It does this when it has done what it was told before. */
	void tell(String command) {
		try {
			this.process.getOutputStream().write((command + '\n').getBytes(StandardCharsets.UTF_8));
			this.process.getOutputStream().flush();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Worker " + this.name + " is gone", ex);
		}
	}

	/** Wait for a report of one word, and forget those before it. */
	WorkerProcess await(String sign) {
		TestClient.await(sign + " from worker " + this.name, PATIENCE, () -> has(sign));
		return this;
	}

	/** Whether it has reported that; if so, it and what was before is forgotten. */
	boolean has(String sign) {
		if (!this.signs.contains(sign)) {
			return false;
		}
		while (!sign.equals(this.signs.remove())) {
			// Before it.
		}
		return true;
	}

	/** In the middle of whatever it does. */
	void pause() {
		signal("STOP");
	}

	void resume() {
		signal("CONT");
	}

	/** Wait until it is dead and all its reports are read. */
	void kill() {
		signal("KILL");
		awaitEnd();
	}

	private void signal(String signal) {
		try {
			// The shell knows kill even where no program of that name is installed.
			Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + ' ' + this.process.pid()).start();
			if (kill.waitFor() != 0) {
				throw new IllegalStateException("Worker " + this.name + " could not be sent " + signal);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** How it ended. */
	int awaitEnd() {
		try {
			if (!this.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
				throw new IllegalStateException("Worker " + this.name + " does not end");
			}
			this.reader.join();
			return this.process.exitValue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			this.network.close();
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
		this.network.close();
	}

}
