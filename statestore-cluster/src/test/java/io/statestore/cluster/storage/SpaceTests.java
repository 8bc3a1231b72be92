package io.statestore.cluster.storage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SpaceTests {

	private static final int ENTRY = 100;

	private final Space space = new Space(4 * (ENTRY + 64));

	@Test
	void roomOfAppliedEntryIsFreeOnceItIsStored() {
		assertThat(this.space.reserve(ENTRY)).isTrue();
		this.space.releaseStored(7, ENTRY);
		assertThat(this.space.reserve(ENTRY)).isFalse();
		assertThat(this.space.isBehind(0)).isTrue();
		this.space.stored(6);
		assertThat(this.space.reserve(ENTRY)).isFalse();
		this.space.stored(7);
		assertThat(this.space.reserve(ENTRY)).isTrue();
		assertThat(this.space.isBehind(0)).isFalse();
	}

	@Test
	void roomOfStoredEntryIsFreeOnceItIsApplied() {
		assertThat(this.space.reserve(ENTRY)).isTrue();
		this.space.stored(7);
		this.space.releaseStored(7, ENTRY);
		assertThat(this.space.reserve(ENTRY)).isTrue();
	}

	@Test
	void entryThatReplacesAnotherMustBeStoredAgain() {
		this.space.stored(9);
		this.space.stored(6);
		assertThat(this.space.reserve(ENTRY)).isTrue();
		this.space.releaseStored(7, ENTRY);
		assertThat(this.space.reserve(ENTRY)).isFalse();
	}

	@Test
	void nextNodeKeepsNoEntriesInMemory() {
		assertThat(this.space.reserve(ENTRY)).isTrue();
		this.space.releaseStored(7, ENTRY);
		this.space.opened(3);
		assertThat(this.space.reserve(ENTRY)).isTrue();
		this.space.releaseStored(4, ENTRY);
		assertThat(this.space.reserve(ENTRY)).isFalse();
	}

	@Test
	void fullDiskHasReserve() {
		this.space.update(2 * (ENTRY + 64) - 1);
		assertThat(this.space.isFull()).isTrue();
		assertThat(this.space.hasReserve()).isTrue();
		this.space.update(ENTRY + 63);
		assertThat(this.space.hasReserve()).isFalse();
	}

	@Test
	void requestsOfOthersLeaveRoomForConsensus() {
		this.space.update(4 * (ENTRY + 64));
		int most = 4 * (ENTRY + 64) - Space.maxRequestBytes(4 * (ENTRY + 64));
		Runnable release = this.space.admit(most);
		assertThat(release).isNotNull();
		assertThat(this.space.admit(1)).isNull();
		release.run();
		assertThat(this.space.admit(most)).isNotNull();
	}

	@Test
	void requestWithoutAnswerReturnsRoomLater() {
		AtomicLong now = new AtomicLong();
		Space space = new Space(4 * (ENTRY + 64), now::get);
		space.update(4 * (ENTRY + 64));
		Runnable dropped = space.admit(5 * ENTRY);
		assertThat(space.admit(ENTRY)).isNull();
		now.addAndGet(TimeUnit.SECONDS.toNanos(16));
		assertThat(space.admit(5 * ENTRY)).isNotNull();
		assertThat(dropped).isNotNull();
		dropped.run();
		assertThat(space.admit(ENTRY)).isNull();
	}

	@Test
	void requestOfEarlierNodeReturnsNoRoom() {
		this.space.update(4 * (ENTRY + 64));
		Runnable earlier = this.space.admit(ENTRY);
		this.space.opened(0);
		assertThat(this.space.admit(4 * ENTRY)).isNotNull();
		assertThat(earlier).isNotNull();
		earlier.run();
		assertThat(this.space.admit(2 * ENTRY)).isNull();
	}

	@Test
	void fullDiskAdmitsSmallRequests() {
		int spare = 64 << 10;
		Space space = new Space(spare);
		space.update(spare / 2 - 1);
		assertThat(space.admit(8 << 10)).isNull();
		assertThat(space.admit(1 << 10)).isNotNull();
		space.update(spare / 4 - 1);
		assertThat(space.admit(1)).isNull();
	}

}
