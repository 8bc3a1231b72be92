package io.statestore.cluster;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.netty.channel.Channel;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static io.statestore.test.FileCycles.noCycleOfMoreThanTwoFiles;

/** Tests dependencies between this module's packages, and on libraries. */
class ModuleRulesTests {

	private static final String OURS = "io.statestore.cluster";

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(OURS);

	/** Other packages only pass client connections from the broker to the transport. */
	@Test
	void onlyTransportUsesNetty() {
		noClasses().that()
			.resideOutsideOfPackage(OURS + ".transport..")
			.should()
			.dependOnClassesThat(resideInAPackage("io.netty..").and(not(equivalentTo(Channel.class))))
			.check(CLASSES);
	}

	@Test
	void storageDoesNotUseNetwork() {
		noClasses().that()
			.resideInAPackage(OURS + ".storage..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(OURS, OURS + ".transport..", "com.alipay.sofa.jraft.rpc..")
			.check(CLASSES);
	}

	@Test
	void transportDoesNotUseFiles() {
		noClasses().that()
			.resideInAPackage(OURS + ".transport..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(OURS, OURS + ".storage..", "com.alipay.sofa.jraft.storage..")
			.check(CLASSES);
	}

	@Test
	void packagesHaveNoCycles() {
		slices().matching(OURS + ".(**)").should().beFreeOfCycles().check(CLASSES);
	}

	@Test
	void filesHaveNoCycles() {
		noCycleOfMoreThanTwoFiles(OURS + "..").check(CLASSES);
	}

}
