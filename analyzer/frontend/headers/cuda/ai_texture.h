#pragma once
template<class T,int D=1,int M=0> struct __attribute__((device_builtin_texture_type)) texture { cudaTextureAddressMode addressMode[3]; cudaTextureFilterMode filterMode; int normalized; cudaChannelFormatDesc channelDesc; };
template<class T,int D=1> struct __attribute__((device_builtin_surface_type)) surface {};
template<class T> T tex1D(cudaTextureObject_t,float);
template<class T> T tex1Dfetch(cudaTextureObject_t,int);
template<class T> T tex2D(cudaTextureObject_t,float,float);
template<class T> T tex3D(cudaTextureObject_t,float,float,float);
template<class T> T tex2DLod(cudaTextureObject_t,float,float,float);
template<class T> T tex2DLayered(cudaTextureObject_t,float,float,int);
template<class T> void surf2Dwrite(T,cudaSurfaceObject_t,int,int,int m=0);
template<class T> T surf2Dread(cudaSurfaceObject_t,int,int,int m=0);
template<class T,int D,int M> T tex1Dfetch(texture<T,D,M>,int);
template<class T,int D,int M> T tex2D(texture<T,D,M>,float,float);
template<class T,int D,int M> T tex3D(texture<T,D,M>,float,float,float);
template<class T,int D,int M> T tex1D(texture<T,D,M>,float);
