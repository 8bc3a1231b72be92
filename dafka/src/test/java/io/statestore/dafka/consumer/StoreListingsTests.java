package io.statestore.dafka.consumer;

import java.util.Set;

import io.statestore.dafka.Bytes;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Whether lists from stores are complete. */
class StoreListingsTests {

	private static final Bytes TOPIC = Bytes.of("t");

	private static final Bytes ONE = Bytes.of("ONE");

	private static final Bytes TWO = Bytes.of("TWO");

	private final StoreListings listings = new StoreListings(Set.of(TOPIC), 0);

	StoreListingsTests() {
		for (Bytes store : new Bytes[] { ONE, TWO }) {
			this.listings.add(store, 1);
			this.listings.addConfirming(store);
		}
	}

	@Test
	void isCompleteOnceEveryStoreSentAllHeads() {
		heads(5);
		this.listings.endList(ONE, TOPIC, 2);
		assertThat(this.listings.completeness()).isEqualTo(Completeness.PENDING);
		this.listings.endList(TWO, TOPIC, 3);
		assertThat(this.listings.completeness()).isEqualTo(Completeness.COMPLETE);
	}

	@Test
	void staysPendingWhenOneHeadIsLost() {
		// Enough heads for either list, but not for both.
		heads(4);
		this.listings.endList(ONE, TOPIC, 2);
		this.listings.endList(TWO, TOPIC, 3);
		assertThat(this.listings.completeness()).isEqualTo(Completeness.PENDING);
		heads(3);
		this.listings.endList(TWO, TOPIC, 3);
		assertThat(this.listings.completeness()).isEqualTo(Completeness.PENDING);
		heads(2);
		this.listings.endList(ONE, TOPIC, 2);
		assertThat(this.listings.completeness()).isEqualTo(Completeness.COMPLETE);
	}

	@Test
	void ignoresEndOfListFromUnknownStore() {
		heads(5);
		this.listings.endList(ONE, TOPIC, 2);
		this.listings.endList(Bytes.of("MADE-UP"), TOPIC, 1_000);
		this.listings.endList(TWO, TOPIC, 3);
		assertThat(this.listings.completeness()).isEqualTo(Completeness.COMPLETE);
	}

	private void heads(int count) {
		for (int i = 0; i < count; i++) {
			this.listings.countHead(TOPIC);
		}
	}

}
