package io.statestore.boot.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.statestore.broker.storage.RecoveryListener;
import io.statestore.broker.storage.RecoveryProgress;
import io.statestore.broker.storage.RecoveryProgress.Part;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.BeanCurrentlyInCreationException;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Meters for the embedded broker's recovery. The meters are registered when the recovery
 * begins. Until it ends, the application does not respond to requests, so only registries
 * that push metrics show the progress.
 */
class EmbeddedRecoveryMetrics implements RecoveryListener {

	private static final Logger logger = LoggerFactory.getLogger(EmbeddedRecoveryMetrics.class);

	private final ObjectProvider<MeterRegistry> registry;

	private volatile @Nullable RecoveryProgress progress;

	EmbeddedRecoveryMetrics(ObjectProvider<MeterRegistry> registry) {
		this.registry = registry;
	}

	@Override
	public void recovering(RecoveryProgress progress) {
		boolean first = this.progress == null;
		this.progress = progress;
		if (first) {
			try {
				this.registry.ifUnique(this::register);
			}
			catch (BeanCurrentlyInCreationException ex) {
				logger.debug("The meter registry depends on the embedded broker; its recovery has no meters", ex);
			}
		}
	}

	private void register(MeterRegistry registry) {
		for (Part part : Part.values()) {
			Gauge.builder("statestore.recovery.progress", this, (self) -> self.fraction(part))
				.tag("part", Meters.tagValue(part))
				.description("How much of the snapshot or log the recovery at startup has read, 0 to 1")
				.register(registry);
		}
	}

	private double fraction(Part part) {
		RecoveryProgress progress = this.progress;
		if (progress == null || progress.part().compareTo(part) < 0) {
			return 0;
		}
		return (progress.part() == part) ? progress.fraction() : 1;
	}

}
