package io.statestore.broker.session;

import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;

/** Members of a shared subscription (MQTT 5 section 4.8.2). Thread-safe. */
final class SharedGroup {

	private final CopyOnWriteArrayList<Member> members = new CopyOnWriteArrayList<>();

	private final AtomicInteger turn = new AtomicInteger();

	private final String filter;

	SharedGroup(String filter) {
		this.filter = filter;
	}

	/** Returns the topic filter with the name of the group. */
	String filter() {
		return this.filter;
	}

	void add(Session session, Subscription subscription) {
		remove(session);
		this.members.add(new Member(session, subscription));
	}

	void remove(Session session) {
		this.members.removeIf((member) -> member.session == session);
	}

	boolean isEmpty() {
		return this.members.isEmpty();
	}

	/** Chooses the next member, one that is connected if possible. */
	@Nullable Member choose() {
		Member[] members = this.members.toArray(Member[]::new);
		if (members.length == 0) {
			return null;
		}
		int start = Math.floorMod(this.turn.getAndIncrement(), members.length);
		for (int i = 0; i < members.length; i++) {
			Member member = members[(start + i) % members.length];
			if (member.session.connection() != null) {
				return member;
			}
		}
		return members[start];
	}

	/**
	 * Returns the member that was chosen for a message. If it has left meanwhile, returns
	 * another one whose session outlives its connection: the one with the lowest client
	 * id, which is the same after a restart.
	 */
	@Nullable Member find(String clientId) {
		Member other = null;
		for (Member member : this.members) {
			String id = member.session.clientId();
			if (member.session.isLasting()) {
				if (id.equals(clientId)) {
					return member;
				}
				if (other == null || id.compareTo(other.session.clientId()) < 0) {
					other = member;
				}
			}
		}
		return other;
	}

	record Member(Session session, Subscription subscription) {
	}

}
