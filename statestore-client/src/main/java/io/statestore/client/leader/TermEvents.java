package io.statestore.client.leader;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.integration.leader.event.LeaderEventPublisher;

/**
 * Publisher of the events of terms. A listener that throws does not end a term.
 *
 * @param source of the events
 * @param publisher of Spring Integration
 */
record TermEvents(Object source, LeaderEventPublisher publisher) {

	private static final Logger logger = LoggerFactory.getLogger(TermEvents.class);

	void granted(LeaderContext term) {
		publish(term, () -> this.publisher.publishOnGranted(this.source, term, term.getRole()));
	}

	void revoked(LeaderContext term) {
		publish(term, () -> this.publisher.publishOnRevoked(this.source, term, term.getRole()));
	}

	private static void publish(LeaderContext term, Runnable event) {
		try {
			event.run();
		}
		catch (RuntimeException | Error ex) {
			logger.error("A listener for the events of the leader of {} failed", term.getRole(), ex);
		}
	}

}
