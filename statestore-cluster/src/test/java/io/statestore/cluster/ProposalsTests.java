package io.statestore.cluster;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import com.alipay.sofa.jraft.core.NodeImpl;
import com.alipay.sofa.jraft.entity.Task;
import io.statestore.broker.log.SpareSpace;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ProposalsTests {

	private static final int ENTRY = 100;

	private final SpareSpace spare = new SpareSpace(4 * (ENTRY + 64));

	/** Index of the last entry in the log. */
	private long stored;

	private final Proposals proposals = new Proposals(this.spare, () -> this.stored);

	/** Proposals that have reached the node. */
	private final List<Proposal> proposed = new ArrayList<>();

	private final NodeImpl node = new NodeImpl() {

		@Override
		public void apply(Task task) {
			ProposalsTests.this.proposed.add((Proposal) task.getDone());
		}

	};

	private CompletableFuture<Long> propose(boolean essential) {
		return this.proposals.propose(this.node, ByteBuffer.allocate(ENTRY), null, 1, essential);
	}

	/** Proposes an entry. Returns whether there was room for it. */
	private boolean reserve() {
		return !propose(false).isCompletedExceptionally();
	}

	private void apply(long index) {
		this.proposed.remove(0).applied(index);
	}

	@Test
	void appliedEntryFreesSpaceOnceStored() {
		CompletableFuture<Long> result = propose(false);
		apply(7);
		assertThat(result).isCompletedWithValue(7L);
		assertThat(reserve()).isFalse();
		assertThat(this.proposals.isBehind(0)).isTrue();
		this.stored = 6;
		assertThat(reserve()).isFalse();
		this.stored = 7;
		assertThat(reserve()).isTrue();
		assertThat(this.proposals.isBehind(0)).isFalse();
	}

	@Test
	void storedEntryFreesSpaceOnceApplied() {
		assertThat(reserve()).isTrue();
		this.stored = 7;
		assertThat(reserve()).isFalse();
		apply(7);
		assertThat(reserve()).isTrue();
	}

	@Test
	void replacementEntryMustBeStoredAgain() {
		this.stored = 9;
		this.stored = 6;
		assertThat(reserve()).isTrue();
		apply(7);
		assertThat(reserve()).isFalse();
	}

	@Test
	void endingAllProposalsReturnsTheirSpace() {
		CompletableFuture<Long> result = propose(false);
		apply(7);
		this.proposals.endAll();
		CompletableFuture<Long> unknown = propose(false);
		this.proposals.endAll();
		assertThat(result).isCompletedWithValue(7L);
		assertThatExceptionOfType(OutcomeUnknownException.class).isThrownBy(() -> unwrap(unknown));
		assertThat(reserve()).isTrue();
		assertThat(reserve()).isFalse();
	}

	@Test
	void endedProposalReturnsItsSpaceOnce() {
		assertThat(reserve()).isTrue();
		Proposal ended = this.proposed.get(0);
		this.proposals.endAll();
		ended.applied(1);
		assertThat(reserve()).isTrue();
		assertThat(reserve()).isFalse();
	}

	@Test
	void fullDiskAcceptsEssentialEntriesOnly() {
		this.spare.update(2 * (ENTRY + 64) - 1);
		assertThatExceptionOfType(ProposalRejectedException.class).isThrownBy(() -> unwrap(propose(false)))
			.matches(ProposalRejectedException::isDiskFull);
		assertThat(propose(true)).isNotDone();
		this.spare.update(ENTRY + 63);
		assertThat(propose(true)).isCompletedExceptionally();
		this.spare.update(2 * (ENTRY + 64));
		apply(1);
		this.stored = 1;
		assertThat(reserve()).isTrue();
	}

	private static void unwrap(CompletableFuture<Long> result) throws Throwable {
		throw result.handle((index, failure) -> failure).join();
	}

}
