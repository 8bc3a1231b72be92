package io.statestore.testing;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.Timer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Locations;
import io.statestore.time.TimeSource;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/** Rule that clients and servers measure their deadlines by a {@link TimeSource}. */
class ClockRuleTests {

	private static final Pattern MODULES = Pattern.compile(".*/statestore-(client|broker|protocol)/.*");

	/**
	 * Imported without searching for packages in all archives, which would take longer
	 * than the rule.
	 */
	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importLocations(Locations.inClassPath()
			.stream()
			.filter((location) -> location.matches(MODULES))
			.collect(Collectors.toSet()));

	/** Packages for files, the network, and processes, which do not have virtual time. */
	private static final String[] OUTSIDE = { "io.statestore.broker.certificates..", "io.statestore.broker.gateway..",
			"io.statestore.broker.log..", "io.statestore.client.mqtt.integration..", "io.statestore.mqtt.." };

	/** Outermost classes that follow the system clock. */
	private static final Set<String> SYSTEM_TIME = Set.of(
			// The default.
			"time.TimeSource", "broker.server.StateStoreServerOptions",
			// The network: attempts to connect, the end of connections, and full windows.
			"client.mqtt.internal.MqttConnection", "client.mqtt.internal.ConnectionSupervisor",
			"client.mqtt.internal.InFlight", "client.mqtt.internal.Link", "broker.mqtt.MqttBroker",
			"broker.mqtt.TcpEndpoint", "broker.mqtt.TcpListener",
			// Limits of the start and the shutdown, on the thread of the application.
			"client.annotation.ListenerRun", "client.annotation.StateStoreListenerEndpoint",
			"client.annotation.StateStoreListenerRegistry", "client.leader.StateStoreLeaderInitiator",
			"client.leader.Term", "client.lock.StateStoreLockRegistry", "broker.server.ClosingTask",
			"broker.server.SerialExecutor",
			// Waits for the disk.
			"broker.server.FileSink", "broker.server.Recovery", "broker.server.SnapshotSlices",
			"broker.server.SnapshotWriter",
			// Waits for the first leader of a node.
			"broker.history.HistoryPages",
			// Idle time of threads.
			"client.ElasticExecutor",
			// Schedules of Spring.
			"client.leader.LeaderOnlyInterceptor",
			// Limit the rate of log entries.
			"broker.server.ClientLog", "broker.security.AuditLog",
			// Validity of certificates and tokens.
			"broker.security.JwksFile");

	private static final List<Class<?>> WAITS = List.of(Future.class, Condition.class, Lock.class, BlockingQueue.class,
			CountDownLatch.class, Semaphore.class);

	@Test
	void onlyListedClassesReadSystemTime() {
		noClasses().that()
			.resideOutsideOfPackages(OUTSIDE)
			.and(notListed())
			.should()
			.accessTargetWhere(systemTime())
			.because("tests control the time of everything else; use TimeSource")
			.check(CLASSES);
	}

	@Test
	void noClassUsesTimer() {
		noClasses().should()
			.dependOnClassesThat()
			.areAssignableTo(Timer.class)
			.because("a timer stops for as long as the system clock is set back; use an executor")
			.check(CLASSES);
	}

	@Test
	void everyListedClassFollowsSystemTime() {
		Set<String> following = CLASSES.stream()
			.filter((type) -> type.getAccessesFromSelf().stream().anyMatch(systemTime()))
			.map(ClockRuleTests::nameOfFile)
			.collect(Collectors.toSet());
		assertThat(following).containsAll(SYSTEM_TIME);
	}

	private static DescribedPredicate<JavaClass> notListed() {
		return DescribedPredicate.describe("are not listed in this test",
				(type) -> !SYSTEM_TIME.contains(nameOfFile(type)));
	}

	private static String nameOfFile(JavaClass type) {
		JavaClass outermost = type;
		while (outermost.getEnclosingClass().isPresent()) {
			outermost = outermost.getEnclosingClass().get();
		}
		return outermost.getName().substring("io.statestore.".length());
	}

	private static DescribedPredicate<JavaAccess<?>> systemTime() {
		return DescribedPredicate.describe("follows the time of the system",
				(access) -> isSystemTime(access.getTarget()));
	}

	private static boolean isSystemTime(AccessTarget target) {
		JavaClass owner = target.getOwner();
		String name = target.getName();
		if (owner.isEquivalentTo(System.class)) {
			return name.equals("nanoTime") || name.equals("currentTimeMillis");
		}
		if (owner.isEquivalentTo(Instant.class)) {
			return name.equals("now");
		}
		if (owner.isEquivalentTo(InstantSource.class) || owner.isEquivalentTo(Clock.class)) {
			return name.startsWith("system");
		}
		if (owner.isEquivalentTo(Thread.class)) {
			return name.equals("sleep");
		}
		if (owner.isEquivalentTo(LockSupport.class)) {
			return name.equals("parkNanos") || name.equals("parkUntil");
		}
		if (owner.isAssignableTo(CompletableFuture.class)
				&& Set.of("orTimeout", "completeOnTimeout", "delayedExecutor").contains(name)) {
			return true;
		}
		return isTimedWait(target);
	}

	/** Returns whether a target waits up to a limit. */
	private static boolean isTimedWait(AccessTarget target) {
		if (!target.getOwner().getPackageName().startsWith("java.util.concurrent")) {
			return false;
		}
		Class<?> owner = target.getOwner().reflect();
		boolean waits = WAITS.stream().anyMatch((type) -> type.isAssignableFrom(owner));
		return waits && (target.getName().equals("awaitNanos") || target instanceof AccessTarget.CodeUnitCallTarget call
				&& call.getRawParameterTypes().stream().anyMatch((type) -> type.isEquivalentTo(TimeUnit.class))
				&& !target.getName().startsWith("schedule"));
	}

}
