package io.statestore.dafka.loss;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A {@link LossWorker} in a JVM of its own. */
final class LossProcess implements AutoCloseable {

	private final LossSettings settings;

	private final Process process;

	private final Thread reader;

	private final Set<String> said = ConcurrentHashMap.newKeySet();

	/** How far a consumer is with each producer. */
	private final Map<Integer, Long> next = new ConcurrentHashMap<>();

	/** Starts it, and waits for nothing. */
	LossProcess(LossSettings settings) {
		this.settings = settings;
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
						"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
						LossWorker.class.getName()));
		command.addAll(settings.arguments());
		try {
			this.process = new ProcessBuilder(command)
				.redirectError(ProcessBuilder.Redirect
					.appendTo(settings.directory().resolve("output-" + settings.name()).toFile()))
				.start();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.reader = new Thread(this::read, "output of " + settings.name());
		this.reader.setDaemon(true);
		this.reader.start();
	}

	private void read() {
		try (BufferedReader output = this.process.inputReader(StandardCharsets.UTF_8)) {
			for (String line = output.readLine(); line != null; line = output.readLine()) {
				String[] words = line.split(" ");
				if (words[0].equals("AT")) {
					for (int i = 1; i < words.length; i++) {
						String[] pair = words[i].split(":");
						reached(Integer.parseInt(pair[0]), Long.parseLong(pair[1]));
					}
				}
				else if (words[0].equals("INFO")) {
					System.out.println(this.settings.name() + ' ' + line);
				}
				else {
					this.said.add(line);
				}
			}
		}
		catch (IOException ex) {
			// Killed.
		}
	}

	/** Another one in its place. */
	LossProcess restart() {
		LossProcess next = new LossProcess(this.settings.next());
		next.next.putAll(this.next);
		return next;
	}

	/** What an earlier process got need not come again. */
	void reached(int producer, long next) {
		this.next.merge(producer, next, Math::max);
	}

	LossSettings settings() {
		return this.settings;
	}

	boolean has(String sign) {
		return this.said.contains(sign);
	}

	boolean isAlive() {
		return this.process.isAlive();
	}

	/** How far it was with a producer when it told last. */
	long next(int producer) {
		return this.next.getOrDefault(producer, 0L);
	}

	LossProcess awaitReady() {
		await(this.settings.name() + " is ready", Duration.ofMinutes(1), () -> has("READY") || !isAlive());
		if (!has("READY")) {
			throw new AssertionError(this.settings.name() + " ended, see its output");
		}
		return this;
	}

	static void await(String what, Duration patience, BooleanSupplier condition) {
		long end = System.nanoTime() + patience.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - end > 0) {
				throw new AssertionError("Still waiting for: " + what);
			}
			LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
		}
	}

	/** In the middle of whatever it does. */
	void signal(String signal) {
		try {
			// The shell knows kill even where no program of that name is installed.
			Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + ' ' + this.process.pid()).start();
			if (kill.waitFor() != 0 && isAlive()) {
				throw new IllegalStateException(this.settings.name() + " could not be sent " + signal);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	void kill() {
		signal("KILL");
		awaitEnd();
	}

	/** Ends it as it should; how it ended. */
	int stop() {
		try {
			this.process.getOutputStream().close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		return awaitEnd();
	}

	private int awaitEnd() {
		try {
			if (!this.process.waitFor(1, TimeUnit.MINUTES)) {
				throw new AssertionError(this.settings.name() + " does not end");
			}
			this.reader.join();
			return this.process.exitValue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.process.destroyForcibly();
	}

}
