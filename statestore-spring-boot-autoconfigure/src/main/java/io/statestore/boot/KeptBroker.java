package io.statestore.boot;

import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.Map;
import java.util.function.Supplier;

import io.statestore.broker.StateStoreBroker;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.devtools.restart.Restarter;

/**
 * Embedded broker that Spring Boot DevTools keeps when it restarts the application, so
 * that keys, sessions, and connections of other clients survive. A broker with other
 * settings replaces it, also if it has failed or was closed. It ends with the process, or
 * when an application does not need it.
 */
final class KeptBroker {

	private static final String ATTRIBUTE = "statestore.embedded.broker";

	private static final Logger logger = LoggerFactory.getLogger(KeptBroker.class);

	private KeptBroker() {
	}

	/**
	 * Returns the broker of the previous application, or starts one.
	 * @param settings properties of the broker; only a broker with equal ones is kept
	 * @param factory starts a broker
	 * @return the broker
	 */
	static StateStoreBroker getOrStart(Map<String, String> settings, Supplier<StateStoreBroker> factory) {
		Restarter restarter = Restarter.getInstance();
		Map.Entry<?, ?> previous = (Map.Entry<?, ?>) restarter.removeAttribute(ATTRIBUTE);
		StateStoreBroker broker = previous != null && settings.equals(previous.getKey())
				&& previous.getValue() instanceof StateStoreBroker same && isRunning(same) ? same : null;
		if (broker != null) {
			logger.info("Embedded state store at mqtt://{}:{} is kept across the restart", broker.host(),
					broker.port());
		}
		else {
			close(previous);
			broker = start(factory);
		}
		// Only types of the JDK, because a restart may reload all other classes.
		Map.Entry<Map<String, String>, AutoCloseable> kept = new SimpleImmutableEntry<>(Map.copyOf(settings), broker);
		restarter.getOrAddAttribute(ATTRIBUTE, () -> kept);
		return broker;
	}

	private static boolean isRunning(StateStoreBroker broker) {
		return broker.failure().isEmpty() && !broker.stopped().isDone();
	}

	/** Closes the broker of the previous application, if there is one. */
	static void discard() {
		close((Map.Entry<?, ?>) Restarter.getInstance().removeAttribute(ATTRIBUTE));
	}

	private static void close(Map.@Nullable Entry<?, ?> previous) {
		if (previous != null && previous.getValue() instanceof AutoCloseable broker) {
			try {
				broker.close();
			}
			catch (Exception ex) {
				logger.warn("Failed to close the embedded broker of the previous application. Restart the process "
						+ "if its port is still in use", ex);
			}
		}
	}

	/** Starts a broker whose threads do not refer to the classes of the application. */
	private static StateStoreBroker start(Supplier<StateStoreBroker> factory) {
		Thread thread = Thread.currentThread();
		ClassLoader original = thread.getContextClassLoader();
		thread.setContextClassLoader(StateStoreBroker.class.getClassLoader());
		try {
			return factory.get();
		}
		finally {
			thread.setContextClassLoader(original);
		}
	}

}
