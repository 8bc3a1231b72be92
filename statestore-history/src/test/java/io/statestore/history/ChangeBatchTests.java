package io.statestore.history;

import java.util.List;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.Version;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ChangeBatchTests {

	private static Version version(int millis) {
		return new Version(millis, 0, "StateStore");
	}

	private static StoredChange change(Operation operation, int millis) {
		Bytes key = (operation != Operation.GAP) ? Bytes.of("k") : Bytes.EMPTY;
		return new StoredChange(operation, key, Bytes.EMPTY, version(millis), null, null);
	}

	private static List<StoredChange> decode(ChangeBatch batch) {
		return batch.take().stream().map(ChangeTopic::decode).toList();
	}

	@Test
	void continuesAfterLatestChange() {
		ChangeBatch batch = new ChangeBatch(null, false);
		batch.add(change(Operation.SET, 1));
		batch.add(change(Operation.DELETE, 2));
		assertThat(batch.position()).isEqualTo(version(2));
		assertThat(decode(batch)).containsExactly(change(Operation.SET, 1), change(Operation.DELETE, 2));
		assertThat(decode(batch)).isEmpty();
	}

	@Test
	void continuesBeforeContentUntilItEnds() {
		ChangeBatch batch = new ChangeBatch(version(1), true);
		batch.add(change(Operation.GAP, 9));
		batch.add(change(Operation.PRESENT, 5));
		batch.take();
		assertThat(batch.position()).isEqualTo(version(1));
		batch.add(change(Operation.PRESENT, 3));
		batch.end();
		assertThat(batch.position()).isEqualTo(version(9));
	}

	@Test
	void changeEndsContent() {
		ChangeBatch batch = new ChangeBatch(null, false);
		batch.add(change(Operation.PRESENT, 5));
		batch.add(change(Operation.EXPIRE, 10));
		batch.end();
		assertThat(batch.position()).isEqualTo(version(10));
	}

	@Test
	void repeatedContentBeginsWithOneGap() {
		ChangeBatch batch = new ChangeBatch(null, true);
		batch.add(change(Operation.PRESENT, 5));
		batch.add(change(Operation.PRESENT, 4));
		assertThat(decode(batch)).containsExactly(change(Operation.GAP, 5), change(Operation.PRESENT, 5),
				change(Operation.PRESENT, 4));

		ChangeBatch gap = new ChangeBatch(null, true);
		gap.add(change(Operation.GAP, 5));
		assertThat(decode(gap)).containsExactly(change(Operation.GAP, 5));
	}

}
