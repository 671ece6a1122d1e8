/** The class of every chart that Observable Plot draws. It is fixed, so that the style of the charts has one hash. */
export const PLOT_CLASS = "plot";
