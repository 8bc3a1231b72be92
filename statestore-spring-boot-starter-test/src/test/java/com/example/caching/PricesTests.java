package com.example.caching;

import java.math.BigDecimal;
import java.time.Duration;

import com.example.Instances;
import com.example.RecipeTest;
import com.example.RecipesApplication;
import com.example.RecordedPrices;
import io.statestore.client.StateStoreException;
import io.statestore.protocol.ErrorReason;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The recipe "Cache with a near cache" in {@code docs/recipes.md}. */
@RecipeTest
class PricesTests {

	private static final Price NEXT = new Price(BigDecimal.TEN, "EUR");

	@Autowired
	private Prices prices;

	@Autowired
	private RecordedPrices source;

	@Autowired
	private StateStoreFaults faults;

	@Autowired
	private TestBroker broker;

	@Autowired
	private TestTime time;

	@Test
	void instancesShareLoadedValuesAndChanges() {
		int readsBefore = this.source.reads();
		Price loaded = this.prices.find("bread");
		try (ConfigurableApplicationContext context = Instances.start(RecipesApplication.class, "second",
				this.broker.port(), this.time, RecipeTest.PROPERTIES)) {
			Prices second = context.getBean(Prices.class);
			assertThat(second.find("bread")).isEqualTo(loaded);
			second.change("bread", NEXT);
			Awaitility.await().until(() -> this.prices.find("bread").equals(NEXT));
			assertThat(context.getBean(RecordedPrices.class).reads()).isZero();
			assertThat(this.source.reads()).isEqualTo(readsBefore + 1);
		}
	}

	@Test
	void nearCacheAnswersWithoutRequest() {
		Awaitility.await().until(this::isFoundWithoutRequest);
	}

	private boolean isFoundWithoutRequest() {
		this.prices.find("roll");
		this.faults.requests().ofKey("prices::roll").refuse(ErrorReason.QUOTA_EXCEEDED);
		try {
			this.prices.find("roll");
			return true;
		}
		catch (StateStoreException ex) {
			return false;
		}
		finally {
			this.faults.clear();
			// The observation of the near cache, if it was refused, too, is retried.
			this.time.advance(Duration.ofSeconds(5));
		}
	}

}
