package io.statestore.broker.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.session.SessionLog.Outcome;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.SessionQuery;
import io.statestore.protocol.StoredSession;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SessionListingTests {

	private final AtomicLong nanos = new AtomicLong();

	private final SessionLog log = new MemorySessionLog(this.nanos::get);

	private void connect(String clientId, String principal, long expirySeconds) {
		this.log.append(new SessionChange.Connect(clientId, principal, true, expirySeconds, null, true), Outcome.NONE);
	}

	private List<AdministrationPage<StoredSession>> pages() {
		List<AdministrationPage<StoredSession>> pages = new ArrayList<>();
		String token = null;
		do {
			pages.add(SessionListing.page(new SessionQuery(token), this.log));
			token = pages.get(pages.size() - 1).token();
		}
		while (token != null);
		return pages;
	}

	@Test
	void describesSessions() {
		connect("b", "ada", 60);
		connect("a", "", Sessions.NO_EXPIRY);
		this.log.append(new SessionChange.Subscribe("b", 1, List.of(new Subscription("t", 1, 0))), Outcome.NONE);
		Message message = new Message("t", new byte[0], new byte[100], 1, false, Message.NEVER, "p");
		this.log.append(new SessionChange.Publish(message, "", 0, 0, Map.of(), false, 0), Outcome.NONE);
		this.log.append(new SessionChange.Disconnect("b", 1, 60, false), Outcome.NONE);
		this.nanos.addAndGet(Duration.ofSeconds(10).toNanos());
		List<StoredSession> sessions = pages().get(0).items();
		assertThat(sessions.get(0)).isEqualTo(new StoredSession("a", null, true, null, 0, 0, 642));
		StoredSession second = sessions.get(1);
		assertThat(second)
			.isEqualTo(new StoredSession("b", "ada", false, Duration.ofSeconds(50), 1, 1, second.bytes()));
		assertThat(second.bytes()).isBetween(1_200L, 1_800L);
		this.log.append(new SessionChange.Disconnect("a", 2, Sessions.NO_EXPIRY, false), Outcome.NONE);
		assertThat(pages().get(0).items().get(0).remaining()).isNull();
	}

	@Test
	void pagesAreSorted() {
		assertThat(pages()).containsExactly(new AdministrationPage<>(List.of(), null));
		for (int i = 250; i > 0; i--) {
			connect(String.valueOf(i * 7_919 % 251), "", 60);
		}
		List<AdministrationPage<StoredSession>> pages = pages();
		assertThat(pages).extracting((page) -> page.items().size()).containsExactly(100, 100, 50);
		assertThat(pages.stream().flatMap((page) -> page.items().stream()).map(StoredSession::client)).hasSize(250)
			.isSorted()
			.doesNotHaveDuplicates();
	}

	@Test
	void pageHasLimitedSize() {
		for (int i = 0; i < 9; i++) {
			connect("c" + i + "x".repeat(20_000), "", 60);
		}
		assertThat(pages()).extracting((page) -> page.items().size()).containsExactly(4, 4, 1);
	}

	@Test
	void fullPageMayBeLast() {
		for (int i = 0; i < 100; i++) {
			connect("c" + i, "", 60);
		}
		assertThat(pages()).hasSize(1);
	}

}
