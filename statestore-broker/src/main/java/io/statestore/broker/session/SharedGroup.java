package io.statestore.broker.session;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Members of a shared subscription (MQTT 5 section 4.8.2). Changed by one thread at a
 * time; any thread may read them concurrently.
 */
final class SharedGroup {

	private static final Member[] NONE = new Member[0];

	private final String filter;

	private final AtomicInteger turn = new AtomicInteger();

	private volatile Member[] members = NONE;

	SharedGroup(String filter) {
		this.filter = filter;
	}

	/** Returns the topic filter, including the group name. */
	String filter() {
		return this.filter;
	}

	void add(Session session, Subscription subscription) {
		Member[] members = this.members;
		int index = indexOf(session);
		Member[] changed = Arrays.copyOf(members, (index < 0) ? members.length + 1 : members.length);
		changed[(index < 0) ? members.length : index] = new Member(session, subscription);
		this.members = changed;
	}

	void remove(Session session) {
		this.members = Arrays.stream(this.members).filter((member) -> member.session != session).toArray(Member[]::new);
	}

	private int indexOf(Session session) {
		Member[] members = this.members;
		for (int i = 0; i < members.length; i++) {
			if (members[i].session == session) {
				return i;
			}
		}
		return -1;
	}

	boolean isEmpty() {
		return this.members.length == 0;
	}

	/** Chooses the next member, preferably a connected one. */
	@Nullable Member choose() {
		return choose(this.members, this.turn.getAndIncrement());
	}

	/**
	 * Chooses a member that fulfills a condition, after the chosen member did not.
	 */
	@Nullable Member chooseOther(Predicate<Member> condition) {
		return choose(Arrays.stream(this.members).filter(condition).toArray(Member[]::new), this.turn.get());
	}

	private static @Nullable Member choose(Member[] members, int turn) {
		if (members.length == 0) {
			return null;
		}
		int start = Math.floorMod(turn, members.length);
		for (int i = 0; i < members.length; i++) {
			Member member = members[(start + i) % members.length];
			if (member.session.connection() != null) {
				return member;
			}
		}
		return members[start];
	}

	/**
	 * Returns the stored session that was chosen for a message. If it has since left,
	 * returns the stored session with the lowest client id, which is the same after a
	 * restart.
	 */
	@Nullable Member find(String clientId) {
		Member other = null;
		for (Member member : this.members) {
			String id = member.session.clientId();
			if (member.session.isStored()) {
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
