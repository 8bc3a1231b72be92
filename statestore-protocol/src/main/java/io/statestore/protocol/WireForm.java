package io.statestore.protocol;

/**
 * Form of encoded replies and notifications. The published articles and the official
 * clients differ in a few of them (protocol section 9). The decoders accept both forms.
 */
public enum WireForm {

	/** The form that the official clients expect. The default. */
	PRACTICE,

	/** The form of the articles, for clients written to them. */
	ARTICLES

}
