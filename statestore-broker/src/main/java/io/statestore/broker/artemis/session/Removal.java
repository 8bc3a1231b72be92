package io.statestore.broker.artemis.session;

import org.apache.activemq.artemis.api.core.ActiveMQException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removal of an address or a queue, which may compete with another use or removal. */
@FunctionalInterface
interface Removal {

	/**
	 * Removes the address or queue.
	 * @throws Exception if Artemis fails to remove it
	 */
	void run() throws Exception;

	/** Attempts a removal. Logs failures. */
	static void attempt(Removal removal) {
		Logger logger = LoggerFactory.getLogger(Removal.class);
		try {
			removal.run();
		}
		catch (ActiveMQException ex) {
			logger.debug("Failed to remove an unused topic", ex);
		}
		catch (Exception ex) {
			logger.warn("Failed to remove an unused topic", ex);
		}
	}

}
