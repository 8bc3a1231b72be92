package io.statestore.protocol;

/**
 * Wire form of replies and notifications. Deployed clients and the published articles
 * differ in some of them (protocol section 9). The parsers of this package accept both
 * forms.
 */
public enum WireForm {

	/** The form that deployed clients expect. The default. */
	PRACTICE,

	/** The form of the published articles. */
	ARTICLES

}
