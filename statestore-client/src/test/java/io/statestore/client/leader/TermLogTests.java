package io.statestore.client.leader;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.watch.TestClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;
import org.springframework.integration.leader.AbstractCandidate;
import org.springframework.integration.leader.Candidate;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Log lines of a term, at INFO and above. */
@Timeout(60)
@Isolated("captures the log")
class TermLogTests {

	private final List<Logger> loggers = List.of(logger(DefaultCandidate.class), logger(Term.class));

	private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

	private static Logger logger(Class<?> type) {
		return (Logger) LoggerFactory.getLogger(type);
	}

	@BeforeEach
	void attach() {
		this.appender.list = new CopyOnWriteArrayList<>();
		this.appender.start();
		this.loggers.forEach((logger) -> {
			logger.setLevel(Level.INFO);
			logger.addAppender(this.appender);
		});
	}

	@AfterEach
	void detach() {
		this.loggers.forEach((logger) -> {
			logger.setLevel(null);
			logger.detachAppender(this.appender);
		});
	}

	private List<String> linesOfOneTerm(Candidate candidate) {
		try (StateStoreBroker broker = StateStoreBroker.builder().start();
				TestClient client = new TestClient(broker.port()).start()) {
			StateStoreLeaderInitiator initiator = new StateStoreLeaderInitiator(
					new StateStoreLockRegistry(client.template).obtain("oven-leader"), candidate);
			initiator.start();
			await("a line").until(() -> !this.appender.list.isEmpty());
			initiator.stop();
			await("another line").until(() -> this.appender.list.size() > 1);
		}
		return this.appender.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
	}

	@Test
	void logsTermOfDefaultCandidateOnce() {
		assertThat(linesOfOneTerm(new DefaultCandidate("oven-1", "oven-leader"))).satisfiesExactly(
				(granted) -> assertThat(granted).contains("granted leadership", "token="),
				(revoked) -> assertThat(revoked).contains("revoked", "ended: its initiator stopped"));
	}

	@Test
	void logsTermsOfOtherCandidates() {
		assertThat(linesOfOneTerm(new AbstractCandidate("oven-1", "oven-leader") {

			@Override
			public void onGranted(Context context) {
			}

			@Override
			public void onRevoked(Context context) {
			}

		})).satisfiesExactly((granted) -> assertThat(granted).startsWith("Leader of oven-leader with token "),
				(revoked) -> assertThat(revoked).isEqualTo("No longer leader of oven-leader: its initiator stopped"));
	}

}
