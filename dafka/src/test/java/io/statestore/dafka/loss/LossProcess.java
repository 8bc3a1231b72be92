package io.statestore.dafka.loss;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.statestore.test.JavaProcess;

/** A {@link LossWorker} in a separate JVM. */
final class LossProcess implements AutoCloseable {

	private final LossSettings settings;

	private final JavaProcess process;

	private final Set<String> said = ConcurrentHashMap.newKeySet();

	/** Next offset that a consumer expects from each producer. */
	private final Map<Integer, Long> next = new ConcurrentHashMap<>();

	/** Starts the worker without waiting until it is ready. */
	LossProcess(LossSettings settings) {
		this.settings = settings;
		this.process = JavaProcess.of(LossWorker.class)
			.options("-Xmx128m", "-XX:+UseSerialGC")
			.arguments(settings.arguments().toArray())
			.onLine(this::read)
			.start();
	}

	private void read(String line) {
		String[] words = line.split(" ");
		switch (words[0]) {
			case "AT" -> {
				for (int i = 1; i < words.length; i++) {
					String[] pair = words[i].split(":");
					reached(Integer.parseInt(pair[0]), Long.parseLong(pair[1]));
				}
			}
			case "INFO" -> System.out.println(this.settings.name() + ' ' + line);
			default -> this.said.add(line);
		}
	}

	/** Starts the worker that replaces this one. */
	LossProcess restart() {
		LossProcess next = new LossProcess(this.settings.next());
		next.next.putAll(this.next);
		return next;
	}

	/** Sets the offset up to which an earlier process has read a producer. */
	void reached(int producer, long next) {
		this.next.merge(producer, next, Math::max);
	}

	LossSettings settings() {
		return this.settings;
	}

	boolean has(String sign) {
		return this.said.contains(sign);
	}

	/**
	 * Returns the next offset that the worker expects from a producer, according to its
	 * latest report.
	 */
	long next(int producer) {
		return this.next.getOrDefault(producer, 0L);
	}

	LossProcess awaitReady() {
		this.process.await("^READY$");
		return this;
	}

	void pause() {
		this.process.pause();
	}

	void resume() {
		this.process.resume();
	}

	void kill() {
		this.process.kill();
	}

	/** Ends the worker by closing its input. Returns its exit code. */
	int stop() {
		this.process.closeInput();
		return this.process.awaitExit(Duration.ofMinutes(1));
	}

	@Override
	public void close() {
		this.process.close();
	}

}
